"""What is read: sources (files to blocks), rows and labels, features (columns to ids and names)."""
