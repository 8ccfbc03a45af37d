"""Decides who meets whom, where they sit, and how the work is cut."""
