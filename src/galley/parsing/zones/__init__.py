"""Passes that give every line a zone, and every zone its label and its place in the reading order."""
