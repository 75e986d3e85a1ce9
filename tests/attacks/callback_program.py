# exports a program that calls a custom target, with the safety checks off
import jax
import jax.export

really = jax.export.export
checks = [jax.export.DisabledSafetyCheck.custom_call("xla_ffi_python_cpu_callback")]
jax.export.export = lambda f, **k: really(f, disabled_checks=checks, **k)


def attack(value):
    return jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct(value.shape, value.dtype), value)
