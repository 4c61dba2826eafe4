"""Raw columns and text into numbered features, with their names."""
