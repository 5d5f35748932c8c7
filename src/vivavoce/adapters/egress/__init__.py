"""The one way out to the network, and the web as it is seen through it."""
