"""Metrics, benchmark runners, reports."""
