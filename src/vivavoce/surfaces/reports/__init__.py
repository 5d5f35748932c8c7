"""Reports: what a run came to, as JSON and as a page that needs nothing but a browser."""
