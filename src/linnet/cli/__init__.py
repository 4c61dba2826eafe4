"""The command line: one file per command, each with its signature, its help and its run."""
