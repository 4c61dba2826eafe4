"""A fitted model: weights, features, decision rule, training record; and its file."""
