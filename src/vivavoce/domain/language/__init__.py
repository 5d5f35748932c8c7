"""Language: the words, sentences and numbers of a text, in the languages that we know."""
