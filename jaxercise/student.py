"""What a check may ask of a submission: call a function, trace it, read a value.

Checks see arrays, keys, numbers and strings only, wherever the student's code runs: a notebook,
a ``.py`` file or the instructor's own kernel. This module must not import JAX or student code.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jaxercise.exhibits import PROGRAM_REPLIES, REPLIES, Key, fill, is_reply

Ask = Callable[[dict], dict]  # sends a request, returns the reply; may raise Gone


class AnswerError(AssertionError):
    """The answer could not be judged; the message is for the student.

    ``kind`` is a word for why: the probe's "missing", "unanswered", "raised", "untraceable",
    "callback"; the runner's "program" or "failed"; "unreadable" for a reply that is none; or
    "gone" when its process hung or died.
    """

    def __init__(self, message: str, kind: str = "gone"):
        super().__init__(message)
        self.kind = kind

    @property
    def mistake(self) -> str:
        """The name of what went wrong, as ``checks.Mistake`` has one."""
        return MISTAKES.get(self.kind, "")


MISTAKES = {
    "missing": "not-defined",
    "unanswered": "not-answered",
    "raised": "raises",
    "untraceable": "cannot-be-traced",
    "callback": "calls-back-into-python",
    "program": "compiles-to-a-program-that-is-refused",
    "failed": "compiles-to-a-program-that-fails",
    "unreadable": "sends-back-no-result",
    "gone": "hangs-or-ends-the-process",
}
NO_RESULT = "sent back something that is no result"
NO_PROGRAM = ("untraceable", "callback")  # the function may still be called as it is


class Gone(Exception):
    """The process that was asked did not answer: ``why`` completes "`f` ..."."""

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Called:
    """What one call did.

    Attributes:
        value: what the function returned, as plain data.
        changed: what the call changed besides: "arguments", "the variable `KEY`", ...
        logs: what each stand-in among the arguments saw, in their order.
    """

    value: Any
    changed: list[str]
    logs: list[dict]


@dataclass(frozen=True)
class Program:
    """A traced function: feed it arrays and the runner returns what the function returns."""

    data: bytes
    template: Any
    ask: Ask
    leaked: list[str]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return fill(self.template, self._ask("run", args=array_leaves((args, kwargs)))["leaves"])

    def each(self, values: Sequence, at: int, args: tuple, kwargs: dict) -> list:
        """One run for each of ``values``, in the place of argument number ``at``; sent at once."""
        inputs, leaf = array_leaves((args, kwargs)), len(array_leaves(args[:at]))
        results = self._ask("run_each", args=inputs, at=leaf, values=list(values))["results"]
        if [type(leaves) for leaves in results] != [list] * len(values):
            raise AnswerError(f"The compiled function {NO_RESULT}.", "unreadable")
        return [fill(self.template, leaves) for leaves in results]

    def pull_back(self, args: tuple, kwargs: dict, cotangent: Any) -> list[np.ndarray]:
        """Gradients for all array leaves of the arguments, in their flattened order."""
        inputs, outputs = array_leaves((args, kwargs)), array_leaves(cotangent)
        return self._ask("vjp", args=inputs, cotangents=outputs)["leaves"]

    def fingerprint(self) -> str:
        """Equal for programs of the same operations, whatever lines and names they came from."""
        return self._ask("fingerprint")["fingerprint"]

    def _ask(self, what: str, **more: Any) -> dict:
        try:
            reply = self.ask({"do": what, "program": self.data, **more})
        except Gone as gone:
            raise AnswerError(f"The compiled function {gone.why}.") from gone
        if not is_reply(reply, PROGRAM_REPLIES[what]):
            raise AnswerError(f"The compiled function {NO_RESULT}.", "unreadable")
        if "refused" in reply:
            words = f"The compiled function could not be run: {reply['text']}."
            raise AnswerError(words, reply["refused"])
        return reply


@dataclass
class Student:
    """A submission, seen through two processes: one holds its code, one runs its programs."""

    ask_probe: Ask
    ask_runner: Ask
    gone: dict[str, str] = field(default_factory=dict)  # functions that hung or crashed, and how
    programs: dict[tuple, Any] = field(default_factory=dict)  # by signature; None if untraceable

    def function(self, name: str, derivative: bool = False) -> "Function":
        """A callable that traces ``name`` once for each signature and runs the program."""
        return Function(self, name, derivative)

    def optimizer(self, name: str, *args: Any, **kwargs: Any) -> "Optimizer":
        """The optimizer that ``name(*args, **kwargs)`` makes, as programs over a flat state."""
        return Optimizer(self, name, args, kwargs)

    def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call ``name`` where it lives and return plain data."""
        return self.watch(name, *args, **kwargs).value

    def watch(self, name: str, /, *args: Any, **kwargs: Any) -> Called:
        """Call ``name`` where it lives and report what the call did besides returning."""
        reply = self.request(name, {"do": "call", "name": name, "args": args, "kwargs": kwargs})
        return Called(reply["value"], reply["changed"], reply["logs"])

    def value(self, name: str) -> Any:
        """Read a variable of the finished notebook."""
        return self.request(name, {"do": "value", "name": name})["value"]

    def trace(
        self, name: str, /, *args: Any, derivative: bool = False, fresh: bool = False, **kwargs: Any
    ) -> Program:
        """Trace ``name`` anew. ``fresh`` empties JAX's caches first.

        Raises:
            AnswerError: it cannot be traced; the message says why.
        """
        request = {"do": "trace", "name": name, "args": args, "kwargs": kwargs}
        reply = self.request(name, {**request, "derivative": derivative, "fresh": fresh})
        return Program(reply["program"], reply["template"], self.ask_runner, reply["leaked"])

    def request(self, name: str, request: dict) -> dict:
        """Ask the probe; a refusal becomes an ``AnswerError`` that a student can read."""
        if name in self.gone:
            raise AnswerError(f"`{name}` {self.gone[name]} earlier, so it was not called again.")
        try:
            reply = self.ask_probe(request)
        except Gone as gone:
            self.gone[name] = gone.why
            raise AnswerError(f"`{name}` {gone.why}.") from gone
        if not is_reply(reply, REPLIES[request["do"]]):
            raise AnswerError(f"`{name}` {NO_RESULT}.", "unreadable")
        if "refused" in reply:
            raise AnswerError(f"{reply['text'].rstrip(' .:')}.", reply["refused"])
        return reply


@dataclass(frozen=True)
class Function:
    """A student's function. Arrays and keys are traced, all else is static.

    A new signature (shapes, dtypes, typed or raw key, static values) is a new program. Where the
    function cannot be traced it is called as it is, so that its values can still be judged.
    """

    student: Student
    name: str
    derivative: bool

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        program = self.program(*args, **kwargs)
        if program is None:
            return self.student.call(self.name, *args, **kwargs)
        return program(*args, **kwargs)

    def each(self, values: Sequence, at: int, *args: Any, **kwargs: Any) -> list:
        """Results for each of ``values``, one array or key, in the place of ``args[at]``."""
        program = self.program(*args, **kwargs)
        if program is None:
            calls = [(*args[:at], value, *args[at + 1 :]) for value in values]
            return [self.student.call(self.name, *call, **kwargs) for call in calls]
        return program.each(values, at, args, kwargs)

    def gradient(self, cotangent: Any, wrt: int, *args: Any, **kwargs: Any) -> Any:
        """Pull ``cotangent``, shaped like the result, back to argument number ``wrt``."""
        program = self.program(*args, **kwargs)
        if program is None:
            request = {"do": "vjp", "name": self.name, "args": args, "kwargs": kwargs}
            extra = {"cotangent": cotangent, "wrt": wrt}
            return self.student.request(self.name, {**request, **extra})["value"]
        leaves = iter(program.pull_back(args, kwargs, cotangent))
        return unflatten(args, leaves)[wrt]

    def program(self, *args: Any, **kwargs: Any) -> Program | None:
        """The program for this signature, traced at its first use; None if it has none."""
        signature = (self.name, self.derivative, signature_of((args, kwargs)))
        programs = self.student.programs
        if signature not in programs:
            try:
                programs[signature] = self.student.trace(
                    self.name, *args, derivative=self.derivative, **kwargs
                )
            except AnswerError as error:
                if error.kind not in NO_PROGRAM:
                    raise
                programs[signature] = None
        return programs[signature]


@dataclass(frozen=True)
class Optimizer:
    """A student's optimizer: ``init(params)`` and ``update(grads, state, params)``.

    The state is a flat list of arrays; nothing depends on how the student's optimizer nests it.
    """

    student: Student
    name: str
    args: tuple
    kwargs: dict

    def init(self, params: Any) -> list[np.ndarray]:
        programs = self.programs(params)
        if programs is None:
            return self._request("optimizer_init", params)["value"]
        state = programs[0](params)
        self.student.programs.setdefault(self._signature(params, state), programs)
        return state

    def update(self, grads: Any, state: list, params: Any) -> tuple[Any, list[np.ndarray]]:
        programs = self.programs(params, state)
        if programs is None:
            return self.eager_update(grads, state, params).value
        return programs[1](grads, state, params)

    def eager_update(self, grads: Any, state: list, params: Any) -> Called:
        """One ``update`` in the student's process, without tracing."""
        reply = self._request("optimizer_update", params, grads=grads, state=state)
        return Called(reply["value"], reply["changed"], [])

    def trace(
        self, params: Any, state: list | None = None, fresh: bool = False
    ) -> tuple[Program, Program]:
        """Trace ``init`` and ``update`` anew, the latter for the first state if none is given."""
        reply = self._request("optimizer_trace", params, state=state, fresh=fresh)
        runner, leaked = self.student.ask_runner, reply["leaked"]
        return (
            Program(reply["init"], reply["init_template"], runner, leaked),
            Program(reply["update"], reply["update_template"], runner, leaked),
        )

    def programs(self, params: Any, state: list | None = None) -> tuple[Program, Program] | None:
        signature = self._signature(params, state)
        programs = self.student.programs
        if signature not in programs:
            try:
                programs[signature] = self.trace(params, state)
            except AnswerError as error:
                if error.kind not in NO_PROGRAM:
                    raise
                programs[signature] = None
        return programs[signature]

    def _signature(self, params: Any, state: list | None) -> tuple:
        return (self.name, signature_of((self.args, self.kwargs, params, state)))

    def _request(self, what: str, params: Any, **more: Any) -> dict:
        maker = {"name": self.name, "args": self.args, "kwargs": self.kwargs, "params": params}
        return self.student.request(self.name, {"do": what, **maker, **more})


def array_leaves(value: Any) -> list:
    """Arrays and keys of nested data in JAX's order: dicts by sorted key."""
    if isinstance(value, np.ndarray | np.generic | Key):
        return [value]
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in array_leaves(value[key])]
    if isinstance(value, list | tuple):
        return [leaf for child in value for leaf in array_leaves(child)]
    return []


def unflatten(like: Any, leaves: Any) -> Any:
    """Put ``leaves``, in the order of ``array_leaves``, at the places of the arrays of ``like``."""
    if isinstance(like, np.ndarray | np.generic | Key):
        return next(leaves)
    if isinstance(like, dict):
        built = {key: unflatten(like[key], leaves) for key in sorted(like)}
        return {key: built[key] for key in like}
    if isinstance(like, list | tuple):
        return type(like)(unflatten(child, leaves) for child in like)
    return like


def signature_of(value: Any) -> Any:
    """What decides whether a program can be used again: shapes, dtypes, kinds of key, statics."""
    if isinstance(value, np.ndarray | np.generic):
        return (value.dtype.str, value.shape)
    if isinstance(value, Key):
        return ("key", value.typed)
    if isinstance(value, dict):
        return tuple((key, signature_of(value[key])) for key in sorted(value))
    if isinstance(value, list | tuple):
        return tuple(signature_of(child) for child in value)
    return (type(value).__name__, repr(value))
