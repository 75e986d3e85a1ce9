# raises an error whose words never end
class Endless(Exception):
    def __str__(self):
        while True:
            pass


def attack(value):
    raise Endless
