"""What can be said about a fit: whether its problem has an answer, and how sure the answer is."""
