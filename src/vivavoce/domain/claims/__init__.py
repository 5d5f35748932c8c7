"""Claims: what is said of a text, and whether it follows from the words that it rests on."""
