"""Stand-ins: named steps and optimizers that checks hand to a student's function.

They run in the student's process and only count and time; checks judge what they wrote down.
"""

from collections.abc import Callable, Mapping
from typing import Any

BUILDERS: dict[str, Callable[..., tuple[Any, dict]]] = {}


def build(name: str, settings: Mapping[str, Any]) -> tuple[Any, dict]:
    """Make a fresh stand-in; returns it and the log that it will write."""
    return BUILDERS[name](**settings)
