"""BraveRats solved exactly, and how far bots are from it."""
