# ends the process from a thread, between two questions
import os
import threading

threading.Timer(2.0, os._exit, (0,)).start()
