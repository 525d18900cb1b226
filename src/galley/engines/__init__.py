"""Running it elsewhere."""
