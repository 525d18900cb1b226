"""Strategies that join the rooms."""
