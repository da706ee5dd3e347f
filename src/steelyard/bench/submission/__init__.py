"""A submission to a board: logs, the board made of them and versions in one file, and its check without a network."""
