"""Questions: what is asked, of what, for which kind of thing, and what was said before."""
