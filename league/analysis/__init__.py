"""What is built on playing: audits, duels, games played again, checks of bots, forecasts."""
