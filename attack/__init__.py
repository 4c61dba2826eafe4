"""A standing attack on linnet: hostile files, models, command lines and arrays, under limits, in parallel."""
