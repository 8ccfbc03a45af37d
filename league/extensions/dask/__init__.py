"""Plays blocks on a Dask cluster."""
