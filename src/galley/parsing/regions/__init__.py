"""Passes that weigh what the layout detector found against the lines."""
