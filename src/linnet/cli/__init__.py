"""The commands: one file each, thin, over everything else."""
