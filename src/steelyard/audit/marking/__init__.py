"""Marks for the problems of a key: by a judge, by a person's sheet, or by words."""
