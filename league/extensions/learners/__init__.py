"""Bridges to other people's games and learners. Each needs a package that is installed as an extra."""
