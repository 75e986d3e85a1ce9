"""``python -m jaxercise``: the same as the command ``jaxercise``."""

from jaxercise.cli import app

if __name__ == "__main__":
    app()
