"""Metrics with confidence intervals, computed over a stream of blocks: the same bits however it is cut."""
