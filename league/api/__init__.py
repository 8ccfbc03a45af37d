"""What `import league` offers: leagues, games and duels from Python, with tables as pandas DataFrames."""
