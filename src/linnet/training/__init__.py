"""Running a recipe over examples: online, in batches, in closed form."""
