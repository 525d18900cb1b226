"""The state of a page on its way through the passes, and the passes that concern its image."""
