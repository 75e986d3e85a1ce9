# returns lists in lists in lists
def attack(value):
    for _ in range(100_000):
        value = [value]
    return value
