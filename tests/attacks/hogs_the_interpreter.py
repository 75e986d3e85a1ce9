# keeps the interpreter busy from many threads
import sys
import threading


def spin():
    while True:
        pass


sys.setswitchinterval(0.05)
for _ in range(4):
    threading.Thread(target=spin, daemon=True).start()
