"""`python -m steelyard` is `steelyard`."""

from steelyard.cli.main import main

if __name__ == "__main__":
    main(prog_name="steelyard")
