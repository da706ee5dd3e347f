"""Attacking a judge: every known trick against the judge, and every malformed reply against the code around it."""
