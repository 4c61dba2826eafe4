"""From a source to a model and back to predictions: sources, features, training and model files put together."""
