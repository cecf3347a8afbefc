"""A headless Chromium for pages that park wrote: opens them, listens to it, takes pictures.

Imported by the tests and by the scripts that measure and picture pages. Needs the group `web` of
scripts/setup.sh: chromium, chromium-driver, python3-selenium.
"""

import base64
import json
import os
import shutil
import tempfile
import time
from pathlib import Path


def missing():
    """What is not there, as a text for people; empty when pages can be opened."""
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    try:
        import selenium  # noqa: F401
    except ImportError:
        absent.append("python3-selenium")
    return f"not installed: {', '.join(absent)} (scripts/setup.sh web)" if absent else ""


class Browser:
    """One window; use it as a context."""

    def __init__(self, width=1400, height=1000, dark=False):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
        self.profile = tempfile.mkdtemp(prefix="park-browser-")
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         "--disable-background-networking", "--disable-component-update",
                         "--hide-scrollbars", "--force-device-scale-factor=1",
                         f"--user-data-dir={self.profile}", f"--window-size={width},{height}"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(
            service=Service(shutil.which("chromedriver"), log_path=os.devnull), options=options)
        self.size(width, height)
        self.dark(dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def dark(self, dark):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, path):
        """Opens a file and waits until its page has drawn everything; seconds that took."""
        self.driver.get_log("performance")
        self.driver.get(Path(path).resolve().as_uri())
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            ready = self.js("return window.parkReady || 0")
            if ready:
                return ready / 1000
            time.sleep(0.02)
        raise TimeoutError(f"{path}: the page is not ready after 60 s: {self.complaints()}")

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def complaints(self):
        """Lines of the console that are warnings or errors."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("WARNING", "SEVERE")]

    def requests(self):
        """The addresses that were asked for since the last open, but the page itself and data in it."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("data:", "blob:")):
                    found.append(url)
        return found

    def mouse(self, kind, x, y, **more):
        """A mouse event at a position of the window."""
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, **more})

    def click(self, x, y, modifiers=0):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="none" if kind == "mouseMoved" else "left", clickCount=1,
                       modifiers=modifiers)

    def drag(self, x0, y0, x1, y1, modifiers=0):
        self.mouse("mouseMoved", x0, y0, modifiers=modifiers)
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1, modifiers=modifiers)
        for step in (0.3, 0.7, 1):
            self.mouse("mouseMoved", x0 + (x1 - x0) * step, y0 + (y1 - y0) * step, button="left",
                       buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1, modifiers=modifiers)

    def wheel(self, x, y, delta):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta)

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key}
            if kind == "keyDown" and len(key) == 1:
                event["text"] = key
            self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", event)

    def picture(self, path, whole=False):
        """Writes what is seen, or the whole page, as PNG."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        more = {}
        if whole:
            self.js("scrollTo(0, 0)")
            height = self.js("return document.documentElement.scrollHeight")
            width = self.js("return document.documentElement.clientWidth")
            more = {"captureBeyondViewport": True,
                    "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", **more})
        Path(path).write_bytes(base64.b64decode(shot["data"]))
