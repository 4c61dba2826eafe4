"""From scores to decisions: calibrated probabilities, costs, thresholds."""
