"""Keeps results, adds them up, and turns them into standings and comparisons."""
