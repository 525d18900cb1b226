"""Region or page to draft text."""
