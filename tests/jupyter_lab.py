"""A JupyterLab of its own for a test, and a browser that walks through it.

Both keep to themselves: the server has folders, a port and a token of its own, and the browser
finds no other host. Each walk leaves pictures in ``.jaxercise/screenshots``.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page, Request, WebError, expect, sync_playwright

from jaxercise import doctor

PICTURES = doctor.checkout() / ".jaxercise" / "screenshots"
PATIENCE_S = 300  # for one step; used up only where something is broken, or the machine very busy
SIZE = {"width": 1400, "height": 1000}
OPTIONS = (
    "--no-sandbox",  # Chromium's own does not start as root, nor in many containers
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
ANNOUNCEMENTS = "@jupyterlab/apputils-extension:announcements"


@dataclass
class Walk:
    """Someone's way through pages, and what went wrong behind them.

    Attributes:
        name: what the names of its pictures begin with.
        page: the tab that it began in.
        wrong: errors on the console, errors in scripts that nobody caught, and requests to other
            hosts.
    """

    name: str
    page: Page
    wrong: list[str] = field(default_factory=list)
    pictures: int = 0

    def picture(self, what: str, page: Page | None = None) -> None:
        """Keep what is to be seen now as NAME-NUMBER-WHAT.png."""
        self.pictures += 1
        path = PICTURES / f"{self.name}-{self.pictures:02}-{what}.png"
        (page or self.page).screenshot(path=path, animations="disabled")

    def hear_request(self, request: Request) -> None:
        there = urlsplit(request.url)
        elsewhere = there.scheme not in ("blob", "data", "file") and there.hostname != "127.0.0.1"
        if elsewhere:
            self.wrong.append(f"asked another host: {request.url}")

    def hear_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(f"on the console: {message.text} ({message.location['url']})")

    def hear_error(self, error: WebError) -> None:
        self.wrong.append(f"not caught: {error.error}")


@contextmanager
def walk(name: str) -> Iterator[Walk]:
    """A browser without a past; at the end nothing may have gone wrong behind its pages."""
    chromium = next(filter(None, map(shutil.which, doctor.BROWSERS)), None)
    assert chromium, "There is no Chromium. Install it: sudo apt-get install chromium"
    for old in PICTURES.glob(f"{name}-*.png"):
        old.unlink()
    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        context = browser.new_context(viewport=SIZE, locale="en-GB", service_workers="block")
        context.set_default_timeout(PATIENCE_S * 1000)
        try:
            walking = Walk(name, context.new_page())
            context.on("request", walking.hear_request)
            context.on("console", walking.hear_message)
            context.on("weberror", walking.hear_error)
            try:
                yield walking
            except BaseException:
                walking.picture("it-went-wrong-here")
                raise
        finally:
            context.close()
            browser.close()
    assert not walking.wrong, "\n".join(walking.wrong)


@contextmanager
def jupyter_lab(folder: Path, own: Path) -> Iterator[str]:
    """JupyterLab on ``folder``, as started from a terminal there; gives its address with the token.

    Args:
        folder: what its file browser shows.
        own: an empty folder outside of it: home, settings, what runs, and the log.
    """
    quiet = own / "config" / "labconfig" / "page_config.json"
    quiet.parent.mkdir(parents=True)  # the news ask jupyter.org, or ask whether they may
    quiet.write_text(json.dumps({"disabledExtensions": {ANNOUNCEMENTS: True}}))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "JPY", "IPYTHON"))}
    environment = kept | {
        "HOME": str(own),
        "IPYTHONDIR": str(own / "ipython"),
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTER_RUNTIME_DIR": str(own / "runtime"),
        # nbgrader calls `alembic` by its bare name
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        "--port=0",
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.user_settings_dir={own / 'settings'}",
        f"--LabApp.workspaces_dir={own / 'workspaces'}",
        "--LabApp.extension_manager=readonly",  # the other one asks PyPI
    ]
    log = own / "log.txt"
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield address_of(server, own)
        finally:
            server.terminate()  # it ends its kernels, too
            server.wait(PATIENCE_S)
    # an exchange that is not there is [C, for nbgrader, and no error here
    wrong = [line for line in log.read_text().splitlines() if line.startswith("[E ")]
    assert not wrong, "\n".join(wrong)


def address_of(server: subprocess.Popen, own: Path) -> str:
    """Where a server listens, which it writes down once it does."""
    give_up = time.monotonic() + PATIENCE_S
    while server.poll() is None and time.monotonic() < give_up:
        for path in (own / "runtime").glob("jpserver-*.json"):
            try:
                said = json.loads(path.read_text())
            except ValueError:
                continue  # half written
            return f"{said['url']}lab?token={said['token']}"
        time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not start:\n{(own / 'log.txt').read_text()}")
