"""``python -m visible_checks 1-dropout-keys answers.py``: what a notebook would say of a file."""

import argparse
import json
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from visible_checks import exercises
from visible_checks.looking import Exercise, Seen, as_rows, as_text, look, what_stopped


def main(arguments: Sequence[str]) -> int:
    """Look at files of answers, and print what a notebook would say.

    Returns:
        0 if all checks pass, 1 if not, 2 if there is no such exercise or file.
    """
    parser = argparse.ArgumentParser(description="Run the visible checks on files of answers.")
    parser.add_argument("exercise", nargs="?", help="such as 1-dropout-keys")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true", help="one line of JSON a file")
    parser.add_argument("--list", action="store_true", help="the exercises and cells, as JSON")
    given = parser.parse_args(arguments)
    every = exercises()
    if given.list:
        print(json.dumps({one.name: one.described() for one in every}))
        return 0
    meant = [one for one in every if given.exercise and one.called(given.exercise)]
    if not meant or not given.files:
        parser.error(f"name an exercise and a file: {', '.join(one.name for one in every)}")
    for path in given.files:
        if not path.is_file():
            parser.error(f"{path} is not a file that can be read")
    results = [look_at(meant[0], path) for path in given.files]
    for path, seen in zip(given.files, results):
        show(meant[0], path, seen, given.json)
    return 0 if not any(one.why for seen in results for one in seen) else 1


def look_at(exercise: Exercise, path: Path) -> list[Seen]:
    """The checks that need no finished notebook, on what a file defines."""
    checks = [check for check in exercise.checks if not check.finished]
    try:
        namespace = runpy.run_path(str(path))
    except (Exception, SystemExit) as error:
        why = f"The file cannot be run. {what_stopped(error)}"
        return [Seen(check, why) for check in checks]
    return look(checks, namespace)


def show(exercise: Exercise, path: Path, seen: Sequence[Seen], as_json: bool) -> None:
    if as_json:
        said = {"file": str(path), "exercise": exercise.name, "visible": as_rows(seen)}
        print(json.dumps({**said, "hidden_not_run": exercise.hidden}, ensure_ascii=False))
        return
    passed = sum(not one.why for one in seen)
    print(f"{path}: {passed} of {len(seen)} visible checks pass\n{as_text(seen)}")
    print(f"{exercise.hidden} hidden checks were not run: they follow when you have handed in.\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
