"""Comparing learners on the same folds, and why they differ."""
