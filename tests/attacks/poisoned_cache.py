# overwrites every compiled program it was given
from pathlib import Path

for path in Path(".compiled").glob("*"):
    path.write_bytes(b"\x00" * 1000)
