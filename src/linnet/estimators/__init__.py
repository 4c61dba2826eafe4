"""The scikit-learn classes: thin, over training."""
