"""How good predictions are, summed over a stream of blocks: every figure the same to the bit however it is cut."""
