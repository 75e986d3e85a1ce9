"""Stand-ins: named steps and optimizers that checks hand to a student's function.

They run in the student's process and only count and time; checks judge what they wrote down.
"""

from collections.abc import Callable, Mapping
from typing import Any

import optax


def _sgd(learning_rate: float, momentum: float = 0.0) -> tuple[Any, dict]:
    """Optax's SGD; the log counts how often ``init`` and ``update`` were called."""
    sgd = optax.sgd(learning_rate, momentum or None)
    log = {"init": 0, "update": 0}

    def init(params: Any) -> Any:
        log["init"] += 1
        return sgd.init(params)

    def update(*args: Any, **kwargs: Any) -> Any:
        log["update"] += 1
        return sgd.update(*args, **kwargs)

    return sgd._replace(init=init, update=update), log


BUILDERS: dict[str, Callable[..., tuple[Any, dict]]] = {"sgd": _sgd}


def build(name: str, settings: Mapping[str, Any]) -> tuple[Any, dict]:
    """Make a fresh stand-in; returns it and the log that it will write."""
    return BUILDERS[name](**settings)
