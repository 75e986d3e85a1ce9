# raises what `except Exception` does not catch
class Stop(BaseException):
    pass


def attack(value):
    raise Stop
