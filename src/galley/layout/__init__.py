"""Page image to labelled regions in reading order."""
