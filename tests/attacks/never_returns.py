# never comes back, and does not mind being interrupted
import time


def attack(value):
    while True:
        try:
            time.sleep(0.05)
        except BaseException:
            pass
