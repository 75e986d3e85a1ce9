# watches and disturbs every line that is run to answer a question
import sys
import threading


def tracer(frame, event, argument):
    frame.f_globals["MAX_ERROR_TEXT"] = 10**9
    for name in ("changed", "value", "before", "after"):
        frame.f_locals.pop(name, None)
    return tracer


threading.settrace(tracer)
sys.settrace(tracer)
