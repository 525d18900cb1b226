"""What lines of text are made of: words divided over line ends, list marks, numbers."""
