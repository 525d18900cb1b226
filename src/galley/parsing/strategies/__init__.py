"""Strategies that read with a vision–language model: regions, whole pages, or both one after the other."""
