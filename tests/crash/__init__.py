"""The crash test: real processes under load that are killed again and again, and a ledger in the end."""
