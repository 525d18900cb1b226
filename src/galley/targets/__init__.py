"""The verifying models behind one protocol."""
