"""Attacking a judge: every known trick against the judge, and every malformed reply against the code around it.

`texts` holds the attacks, `scripted` the judges that work offline; `run` asks the judge, `result` is what came out, and
`report` shows it.
"""
