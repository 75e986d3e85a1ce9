# sends half a reply and waits for ever
import os
import socket
import struct
import time


def attack(value):
    for descriptor in range(3, 64):
        try:
            socket.socket(fileno=os.dup(descriptor)).sendall(struct.pack("<Q", 1000) + b"x" * 500)
        except OSError:
            pass
    time.sleep(600)
