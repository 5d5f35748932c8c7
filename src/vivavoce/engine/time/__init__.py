"""Time: what arrives, goes out and happens later, as jobs that outlive any process."""
