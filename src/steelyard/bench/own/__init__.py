"""Items of your own: a folder with a `bench.yaml` and files of items becomes a suite with a board of its own."""
