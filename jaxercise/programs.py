"""Decides whether an exported program may be compiled and run, by walking its operations.

JAX checks what a program calls when it is exported, not when it is read back, so bytes from a
student's process may call anything that this process can: a callback into Python, say. It must not
know checks, points or expected values, and it compiles nothing.
"""

import math
import re
from typing import Any

import jax.extend.mlir
from jax.export import Exported
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import sdy, stablehlo

from jaxercise.exhibits import MAX_MESSAGE_BYTES

MAX_PROGRAM_BYTES = 16 * 2**20  # right answers' programs have 1 to 26 kB
MAX_OPERATIONS = 200_000  # right answers' have 3 to 615
MAX_ARRAYS = 10_000  # inputs, and outputs; right answers have up to 25
# All inputs together, and all outputs, which must fit into a message; right answers' have 6.6 MB.
MAX_ARRAY_BYTES = MAX_MESSAGE_BYTES - 2**20
TOO_LARGE = f"it is larger than {MAX_PROGRAM_BYTES // 2**20} MiB"
MAX_NAME = 60  # characters of a name from the program that are shown back

# What jax.numpy.linalg, approximate top-k and symbolic shapes need. No stored right answer calls
# anything: all that they do has an operation.
CALLS = re.compile(r"lapack_\w+_ffi|ApproxTopK|shape_assertion")

# Each typed key brings the two of sdy.
OPERATIONS = re.compile(
    r"builtin\.module|func\.(func|call|return)|sdy\.(mesh|sharding_constraint)|stablehlo\.\w+"
)
# StableHLO that talks to the host or to other devices, which one device has no use for. The
# stateful `rng` is allowed: what it draws reaches nothing else, and checks of purity see it.
OUTSIDE = re.compile(
    r"stablehlo\.(send|recv|infeed|outfeed|create_token|after_all|all_gather|all_reduce|all_to_all"
    r"|collective_broadcast|collective_permute|reduce_scatter)"
)


def refused(exported: Exported) -> str | None:
    """Why a program, or its derivative, may not be compiled; None if it may.

    Returns:
        Words that complete "The compiled function could not be run: ...".
    """
    why = _refused(exported)
    return _refused(exported.vjp()) if why is None and exported.has_vjp() else why


def operations(exported: Exported) -> str:
    """A program's operations as text, without the source lines that they came from."""
    with _context():
        return _parse(exported).operation.get_asm(enable_debug_info=False)


def _refused(exported: Exported) -> str | None:
    if len(exported.mlir_module_serialized) > MAX_PROGRAM_BYTES:
        return TOO_LARGE
    if "cpu" not in exported.platforms:
        return "it was made for another kind of device"
    if exported.nr_devices != 1:
        return "it was made for more than one device"
    if exported.disabled_safety_checks:
        return "it switches off JAX's own checks of programs"
    if exported.ordered_effects or exported.unordered_effects:
        return "it does more than compute (it has effects)"
    why = _refused_arrays("takes", exported.in_avals)
    return why or _refused_arrays("returns", exported.out_avals) or _refused_operations(exported)


def _refused_arrays(verb: str, avals: tuple) -> str | None:
    if len(avals) > MAX_ARRAYS:
        return f"it {verb} more than {MAX_ARRAYS:,} arrays"
    if not all(type(n) is int and n >= 0 for aval in avals for n in aval.shape):
        return f"it {verb} an array whose shape is not fixed"
    if sum(math.prod(aval.shape) * aval.dtype.itemsize for aval in avals) > MAX_ARRAY_BYTES:
        return f"it {verb} more than {MAX_ARRAY_BYTES // 2**20} MiB"
    return None


def _refused_operations(exported: Exported) -> str | None:
    """The first operation, in any region, that is no part of a computation."""
    count, found = 0, None

    def visit(operation: Any) -> Any:
        nonlocal count, found
        count += 1
        if count > MAX_OPERATIONS:
            found = f"it has more than {MAX_OPERATIONS:,} operations"
        else:
            found = _refused_operation(operation)
        return ir.WalkResult.ADVANCE if found is None else ir.WalkResult.INTERRUPT

    with _context():
        try:
            module = _parse(exported)
        except Exception:  # what the parser raises has changed its type between versions
            return "it is damaged"
        module.operation.walk(visit)
    return found


def _refused_operation(operation: Any) -> str | None:
    name = operation.name
    if name == "stablehlo.custom_call":
        target = ir.StringAttr(operation.attributes["call_target_name"]).value
        if CALLS.fullmatch(target):
            return None
        return f"it calls `{_shown(target)}`, which is no part of a computation"
    if OUTSIDE.fullmatch(name) or not OPERATIONS.fullmatch(name):
        return f"it uses `{_shown(name)}`, which is no part of a computation"
    return None


def _shown(name: str) -> str:
    return re.sub(r"[^\w.@$:/-]", "?", name[:MAX_NAME], flags=re.ASCII)


def _context() -> Any:
    """What parses the dialects of exported programs, and no others."""
    context = ir.Context()
    context.enable_multithreading(False)  # threads cost more than they save here
    stablehlo.register_dialect(context)
    sdy.register_dialect(context)
    return context


def _parse(exported: Exported) -> Any:
    return jax.extend.mlir.deserialize_portable_artifact(exported.mlir_module_serialized)
