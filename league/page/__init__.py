"""The standings page, and the page on which a game can be watched."""
