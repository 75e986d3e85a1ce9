# forks, so that two processes answer on one connection
import os


def attack(value):
    os.fork()
    return value
