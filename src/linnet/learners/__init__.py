"""What an algorithm is: a recipe of independent choices, and the catalogue of the named ones."""
