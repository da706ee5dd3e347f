"""Runs untrusted code in a bubblewrap sandbox, which is registered as an Inspect sandbox provider."""
