"""The routes, by who calls them."""
