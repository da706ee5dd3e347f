# Licence: MIT
def greet(name):
    """Say hello."""
    return f"Hello, {name}!"
