"""Which programs may be compiled: all that compute, and none that reach outside."""

import contextlib
import dataclasses
import random
from functools import partial

import jax
import jax.export
import jax.extend.mlir
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.export import DisabledSafetyCheck
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import stablehlo

from jaxercise import programs, runner
from jaxercise.exhibits import Key, Leaf, Opaque, fill
from jaxercise.student import AnswerError, Gone, Program

X = np.linspace(0.1, 1, 16, dtype=np.float32).reshape(4, 4)
CALLBACK = "xla_python_cpu_callback"
VERSION = stablehlo.get_current_version()


def export(function, *args, **options):
    return jax.export.export(jax.jit(function), **options)(*args)


def read_back(exported, vjp_order: int = 0):
    return jax.export.deserialize(exported.serialize(vjp_order))


def forged(body: str, more: str = ""):
    """A program whose main function has this body, which makes ``%y`` of ``%x`` and a token."""
    text = (
        "module { func.func public @main(%x: tensor<f32>, %t: !stablehlo.token) -> tensor<f32> {"
        f"{body}\n return %y : tensor<f32> }} {more} }}"
    )
    plain = export(jnp.sin, X[0, 0])
    with programs._context():
        programs._parse(plain)  # brings the dialect of functions
        module = ir.Module.parse(text)
        data = jax.extend.mlir.serialize_portable_artifact(module, VERSION)
    return dataclasses.replace(plain, mlir_module_serialized=data)


def calling(target: str) -> str:
    options = 'api_version = 1 : i32, backend_config = "1"'
    return (
        f'%y = stablehlo.custom_call @"{target}"(%x) {{{options}}} : (tensor<f32>) -> tensor<f32>'
    )


def to_runner(exported, what: str = "run", **more) -> dict:
    return {"do": what, "program": bytes(exported.serialize()), "args": [X[0, 0]], **more}


ALLOWED = {
    "typed keys": lambda x: x * jax.random.uniform(jax.random.key(3), x.shape),
    "raw keys": lambda x: jax.random.permutation(jax.random.PRNGKey(3), x),
    "svd": lambda x: list(jnp.linalg.svd(x)),
    "cholesky": lambda x: jnp.linalg.cholesky(x @ x.T + jnp.eye(4)),
    "solve": lambda x: jnp.linalg.solve(x + jnp.eye(4), x),
    "eigenvalues": lambda x: list(jnp.linalg.eigh(x + x.T)),
    "top k": lambda x: lax.top_k(x, 2),
    "approximate top k": lambda x: lax.approx_max_k(x, 2),
    "scan": lambda x: lax.scan(lambda c, row: (c + row, c * row), x[0], x),
    "while": lambda x: lax.while_loop(lambda v: v.sum() < 99, lambda v: v * 2, x),
    "branches": lambda x: lax.cond(x.sum() > 1, jnp.sin, jnp.cos, x),
    "convolution": lambda x: lax.conv(x[None, None], x[None, None, :3, :3], (1, 1), "SAME"),
    "sort": lambda x: jnp.sort(x, axis=0),
    "fft": lambda x: jnp.fft.fft(x),
    "scatter": lambda x: x.at[jnp.array([0, 2])].max(0.5),
    "exact gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "stateful numbers": lambda x: x + lax.rng_uniform(0.0, 1.0, x.shape),
    "exported inside": lambda x: export(jnp.sin, X).call(x),
}


@pytest.mark.parametrize("kind", ALLOWED)
def test_what_computes_is_allowed(kind):
    assert programs.refused(read_back(export(ALLOWED[kind], X))) is None


def test_derivatives_and_keys_as_inputs_are_allowed():
    def loss(key, x):
        kept = jax.random.bernoulli(key, 0.5, x.shape)
        return jnp.sum(jnp.tanh(jnp.linalg.solve(x + jnp.eye(4), x)) * kept)

    for key in (jax.random.key(0), jax.random.PRNGKey(0)):
        read = read_back(export(loss, key, X), vjp_order=1)
        assert read.has_vjp() and programs.refused(read) is None


CALLS_BACK = calling(CALLBACK)
UNCHANGED = "%y = stablehlo.negate %x : tensor<f32>"
CHANNEL = (
    "channel_handle = #stablehlo.channel_handle<handle = 0, type = 2>, is_host_transfer = true"
)
REFUSED = {
    "a callback": (CALLS_BACK, f"it calls `{CALLBACK}`, which is no part of a computation"),
    "almost lapack": (calling("my_lapack_sgetrf_ffi"), "it calls `my_lapack_sgetrf_ffi`"),
    "almost lapack too": (calling("lapack_sgetrf_ffi2"), "it calls `lapack_sgetrf_ffi2`"),
    "a name to break a page": (calling("<b>`\\0A"), "it calls `?b???`"),
    "a callback in a branch": (
        '%i = stablehlo.constant dense<0> : tensor<i32>\n%y = "stablehlo.case"(%i) ({\n'
        f"{CALLS_BACK.replace('%y', '%a')}\nstablehlo.return %a : tensor<f32> }})"
        ": (tensor<i32>) -> tensor<f32>",
        f"it calls `{CALLBACK}`",
    ),
    "infeed": (
        '%y, %u = "stablehlo.infeed"(%t) {infeed_config = ""}'
        " : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)",
        "it uses `stablehlo.infeed`",
    ),
    "outfeed": (
        '%u = "stablehlo.outfeed"(%x, %t) {outfeed_config = ""}'
        f" : (tensor<f32>, !stablehlo.token) -> !stablehlo.token\n{UNCHANGED}",
        "it uses `stablehlo.outfeed`",
    ),
    "send": (
        f'%u = "stablehlo.send"(%x, %t) {{{CHANNEL}}}'
        f" : (tensor<f32>, !stablehlo.token) -> !stablehlo.token\n{UNCHANGED}",
        "it uses `stablehlo.send`",
    ),
    "recv": (
        f'%y, %u = "stablehlo.recv"(%t) {{{CHANNEL.replace("type = 2", "type = 3")}}}'
        " : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)",
        "it uses `stablehlo.recv`",
    ),
    "other devices": (
        '%y = "stablehlo.all_reduce"(%x) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):'
        ' "stablehlo.return"(%a) : (tensor<f32>) -> () })'
        " {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<f32>) -> tensor<f32>",
        "it uses `stablehlo.all_reduce`",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_reaches_outside_is_refused(kind):
    body, words = REFUSED[kind]
    assert words in programs.refused(forged(body))


def test_a_callback_in_a_function_that_nothing_calls_is_refused():
    hidden = (
        "func.func private @f(%x: tensor<f32>) -> tensor<f32> {{ {}\nreturn %y : tensor<f32> }}"
    )
    assert programs.refused(forged(UNCHANGED, hidden.format(UNCHANGED))) is None
    assert CALLBACK in programs.refused(forged(UNCHANGED, hidden.format(CALLS_BACK)))


def test_a_callback_in_the_derivative_is_refused():
    callback = forged(CALLS_BACK)
    read = dataclasses.replace(export(jnp.sin, X[0, 0]), _get_vjp=lambda _: callback)
    assert CALLBACK in programs.refused(read)


SYMBOL = jax.ShapeDtypeStruct(jax.export.symbolic_shape("n, 4"), np.float32)
HUGE = jax.ShapeDtypeStruct((2**20, 2**10), np.float32)
OTHERWISE_REFUSED = {
    "symbolic": (lambda: export(jnp.sin, SYMBOL), "whose shape is not fixed"),
    "other device": (lambda: export(jnp.sin, X, platforms=["tpu"]), "another kind of device"),
    "large result": (lambda: export(lambda x: jnp.zeros((2**20, 2**10)) + x[0, 0], X), "returns"),
    "large input": (lambda: export(jnp.sum, HUGE), "takes more than"),
    "many results": (
        lambda: dataclasses.replace(
            export(jnp.sin, X), out_avals=export(jnp.sin, X).out_avals * 10_001
        ),
        "returns more than 10,000 arrays",
    ),
    "many devices": (lambda: dataclasses.replace(export(jnp.sin, X), nr_devices=2), "device"),
    "no checks": (
        lambda: export(jnp.sin, X, disabled_checks=[DisabledSafetyCheck.custom_call(CALLBACK)]),
        "switches off",
    ),
    "large": (
        lambda: dataclasses.replace(
            export(jnp.sin, X), mlir_module_serialized=bytes(programs.MAX_PROGRAM_BYTES + 1)
        ),
        "larger than 16 MiB",
    ),
    "damaged": (
        lambda: dataclasses.replace(export(jnp.sin, X), mlir_module_serialized=b"ML\xefR damaged"),
        "it is damaged",
    ),
}


@pytest.mark.parametrize("kind", OTHERWISE_REFUSED)
def test_programs_beyond_all_measure_are_refused(kind):
    make, words = OTHERWISE_REFUSED[kind]
    assert words in programs.refused(make())


def test_a_program_of_too_many_operations_is_refused(monkeypatch):
    many = export(lambda x: sum(jnp.sin(x) for _ in range(20)), X)
    assert programs.refused(many) is None
    monkeypatch.setattr(programs, "MAX_OPERATIONS", 20)
    assert programs.refused(many) == "it has more than 20 operations"


def test_the_runner_tells_the_student_and_goes_on():
    loaded: dict = {}
    ask = partial(runner.answer, loaded=loaded)
    callback = forged(CALLS_BACK)
    with pytest.raises(AnswerError, match=f"could not be run: it calls `{CALLBACK}`, which is no"):
        Program(bytes(callback.serialize()), None, ask, [])(X[0, 0])
    for what in ("vjp", "fingerprint"):
        assert ask(to_runner(callback, what, cotangents=[]))["refused"] == "program"
    assert ask({"do": "run", "program": b"nonsense", "args": []})["refused"] == "failed"
    too_large = bytes(programs.MAX_PROGRAM_BYTES + 1)
    assert "larger" in ask({"do": "run", "program": too_large, "args": []})["text"]
    assert not loaded
    assert np.allclose(ask(to_runner(export(jnp.sin, X[0, 0])))["leaves"], np.sin(X[0, 0]))


def test_fingerprints_know_operations_and_not_lines():
    def first(x):
        return jnp.tanh(x) * 2

    def second(x):
        half = jnp.tanh(x)
        return half * 2

    def third(x):
        return jnp.tanh(x) * 3

    prints = [runner.fingerprint(export(lambda x, f=f: f(x), X)) for f in (first, second, third)]
    assert prints[0] == prints[1] != prints[2]


def test_a_template_with_a_place_for_no_output_is_filled_with_no_data():
    assert isinstance(fill([Leaf(1)], [X])[0], Opaque)
    assert isinstance(fill([Leaf(-1)], [X])[0], Opaque)


def test_damaged_programs_cost_nobody_but_themselves(student_of):
    student = student_of("")
    whole = export(lambda k, x: x * jax.random.uniform(k, x.shape), jax.random.key(0), X)
    data = bytes(whole.serialize(1))
    request = {"do": "run", "args": [Key(0), X]}
    rng = random.Random(0)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 8))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        with contextlib.suppress(Gone):
            reply = student.ask_runner({**request, "program": bytes(damaged)})
            assert "leaves" in reply or reply["refused"] in ("program", "failed")
    assert len(student.ask_runner({**request, "program": data})["leaves"]) == 1
