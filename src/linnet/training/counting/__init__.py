"""Models in closed form from one pass of sums by class: naive Bayes, discriminant analysis."""
