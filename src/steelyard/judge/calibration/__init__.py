"""Measuring a judge against labelled responses.

`labels` reads what people graded and by which rubrics; `run` asks the judge, `measure` compares the two, `record`
stores the result, and `report` shows it.
"""
