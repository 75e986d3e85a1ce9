# takes away what every function needs
import builtins

for name in ("len", "isinstance", "getattr", "type", "hasattr", "print", "zip", "dict"):
    delattr(builtins, name)
