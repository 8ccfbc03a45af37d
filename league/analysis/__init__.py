"""What is built on playing: audits, games played again, checks of bots."""
