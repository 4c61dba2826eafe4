"""A headless Chromium, driven by the WebDriver protocol: what a page logs, asks the network for, and looks like."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
from contextlib import contextmanager
from urllib.request import ProxyHandler, Request, build_opener

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
LOCAL = build_opener(ProxyHandler({}))  # the driver is on this machine
MISSING = "" if CHROMIUM and DRIVER else "Chromium and its driver are not installed (apt-get install chromium-driver)"


class Browser:
    """One window."""

    def __init__(self, port: int, profile: str) -> None:
        self._root = f"http://127.0.0.1:{port}/session"
        options = {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        logs = {"browser": "ALL", "performance": "ALL"}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": logs}
        session = _sent(self._root, {"capabilities": {"alwaysMatch": wanted}})
        self._root += f"/{session['sessionId']}"

    def command(self, name: str, **given):
        """A command of the DevTools protocol."""
        return _sent(f"{self._root}/goog/cdp/execute", {"cmd": name, "params": given})

    def show(self, path, width: int = 1280, scheme: str = "light") -> None:
        """Open a file in a window of this width."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        _sent(f"{self._root}/url", {"url": path.resolve().as_uri()})

    def run(self, script: str, *, waiting: bool = False):
        """The value of a script in the page; where it waits, what it hands to its last argument."""
        return _sent(f"{self._root}/execute/{'async' if waiting else 'sync'}", {"script": script, "args": []})

    def console(self) -> list[str]:
        """What was logged since it was last asked."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since it was last asked."""
        messages = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]

    def _log(self, kind: str):
        return _sent(f"{self._root}/se/log", {"type": kind})

    def screenshot(self) -> bytes:
        return base64.b64decode(self.command("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def close(self) -> None:
        with LOCAL.open(Request(self._root, method="DELETE"), timeout=60):
            pass


def _sent(address: str, content):
    request = Request(address, json.dumps(content).encode(), {"Content-Type": "application/json"})
    with LOCAL.open(request, timeout=120) as answer:
        return json.load(answer)["value"]


@contextmanager
def opened(profile):
    """A browser with a new profile, closed in the end."""
    with subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True) as driver:
        browser = None
        try:
            browser = Browser(_port(driver), str(profile))
            yield browser
        finally:
            if browser is not None:
                browser.close()
            driver.terminate()


def _port(driver) -> int:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if found := re.search(r"successfully on port (\d+)", driver.stdout.readline()):
            return int(found[1])
    raise TimeoutError("chromedriver did not start")
