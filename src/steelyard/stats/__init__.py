"""Pure statistics on plain numbers: formulas in the docstrings, test vectors in the tests, seeds as arguments."""
