"""Files, folders and frames, read as one stream of blocks that can be reopened at a position."""
