"""What each pass did to a page, written down: the tool to find out why a page came out wrong."""
