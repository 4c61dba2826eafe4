"""The hot loops, compiled: arrays and scalars in, arrays and scalars out."""
