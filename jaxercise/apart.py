"""Runs the grader's questions apart from what a student's code has set and never unset.

A right answer must not lose points for the settings of the notebook around it, nor gain any. This
module must not know questions or checks.
"""

import ctypes
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any, TypeVar

import jax

Result = TypeVar("Result")

# JAX's own defaults, which hold while a check looks, whatever the student's notebook has set. Each
# was seen to change values, or what an export holds, or to make right answers raise (jax 0.10.1).
PINNED: dict[str, Any] = {
    # other types or kinds of keys
    "jax_enable_x64": False,
    "jax_explicit_x64_dtypes": "warn",  # "error" raises for float64 on request
    "jax_enable_custom_prng": False,  # PRNGKey gives typed keys
    "jax_numpy_dtype_promotion": "standard",
    # other values
    "jax_default_matmul_precision": None,
    "jax_disable_most_optimizations": False,  # last digits of products
    "jax_softmax_custom_jvp": False,  # last digits of gradients
    "jax_accurate_erf_inv": False,  # last digits of jax.random.normal (0.12)
    "jax_default_prng_impl": "threefry2x32",
    "jax_threefry_partitionable": True,
    "jax_random_seed_offset": 0,
    "jax_high_dynamic_range_gumbel": False,  # jax.random.categorical
    # raise where JAX would not
    "jax_numpy_rank_promotion": "allow",
    "jax_legacy_prng_key": "allow",
    "jax_debug_nans": False,
    "jax_debug_infs": False,
    "jax_debug_key_reuse": False,
    "jax_check_tracer_leaks": False,
    "jax_check_static_indices": False,
    "jax_error_checking_behavior_nan": "ignore",
    "jax_error_checking_behavior_divide": "ignore",
    "jax_error_checking_behavior_oob": "ignore",
    "jax_transfer_guard": None,  # sets the three after it
    "jax_transfer_guard_host_to_device": None,
    "jax_transfer_guard_device_to_device": None,
    "jax_transfer_guard_device_to_host": None,
    # what is traced, run and exported, and where
    "jax_default_device": None,
    "jax_disable_jit": False,
    "jax_no_tracing": False,
    "jax_no_execution": False,
    "jax_scan3": False,
    "jax_use_shardy_partitioner": True,  # False exports custom calls, see programs
}


def run(thunk: Callable[[], Result], otherwise: Callable[[BaseException], Result]) -> Result:
    """Run ``thunk`` with settings as if nobody had changed any; ``otherwise`` if it raised.

    It gets a thread of its own: JAX's context managers (``jax.enable_x64`` and its like, entered
    and never left) and NumPy's ``seterr`` hold in the thread that used them. Warnings are ignored,
    for a notebook may have turned them into errors.
    """
    outcome: list[Result] = []
    errors: list[BaseException] = []

    def inside() -> None:
        try:
            with warnings.catch_warnings(), pinned_settings():
                warnings.simplefilter("ignore")
                outcome.append(thunk())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=inside, daemon=True)
    try:
        thread.start()
        thread.join()
    except RuntimeError as error:  # no more threads may be started
        errors.append(error)
    except KeyboardInterrupt:  # an instructor's, in their own kernel
        _interrupt(thread)
        raise
    if outcome:
        return outcome[0]
    return otherwise(errors[0] if errors else RuntimeError("its thread was ended"))


def _interrupt(thread: Thread) -> None:
    """Raise KeyboardInterrupt in a thread, which else would go on for ever."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt)
    )


@contextmanager
def pinned_settings() -> Iterator[None]:
    """Set JAX to ``PINNED``, and back to what the student had set afterwards."""
    before = jax.config.values
    changed = [name for name, value in PINNED.items() if before.get(name, value) != value]
    for name in changed:
        jax.config.update(name, PINNED[name])
    try:
        yield
    finally:
        for name in changed:
            jax.config.update(name, before[name])
