"""One side of a comparison: from our logs, from anybody's logs, or from a plain results file."""
