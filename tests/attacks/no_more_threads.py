# replaces the thread that a question runs in
import threading

threading.Thread.start = lambda self: None
threading.Thread.run = lambda self: None
