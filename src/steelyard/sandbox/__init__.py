"""Where foreign code runs: a bubblewrap sandbox, registered as an Inspect sandbox provider."""
