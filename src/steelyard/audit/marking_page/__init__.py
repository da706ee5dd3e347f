"""A local page on which a person marks runs; the sheet stays the file format and holds everything.

`session` keeps page and sheet in step, `edits` are the changes that the page may ask for, `data` is what it shows,
`server` answers its requests.
"""
