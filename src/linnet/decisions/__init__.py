"""From scores to decisions: calibrated probabilities, costs of errors, and thresholds."""
