"""From a class's files to its grades: people, what they hand in, and what it is worth."""
