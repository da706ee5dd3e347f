# Licence: MIT
def total(lines):
    return sum(float(line) for line in lines if line.strip())
