"""Linear models that predict a structure: the tags of a sentence, or a tree over its words."""
