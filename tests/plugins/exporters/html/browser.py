"""Chromium without a window, driven through ChromeDriver by the W3C's protocol, with Python's own library alone."""

import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars",
]


def address_of(file):
    return pathlib.Path(file).resolve().as_uri()


class Browser:
    """A context: with Browser() as browser. `size` is that of the window in CSS pixels."""

    def __init__(self, size=(1280, 900), dark=False):
        self.folder = tempfile.mkdtemp(prefix="tomograph-browser-")
        arguments = [*ARGUMENTS, f"--user-data-dir={self.folder}", f"--window-size={size[0]},{size[1]}", "about:blank"]
        if dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        self.options = {"binary": shutil.which("chromium"), "args": arguments}

    def __enter__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                port = int(line.rstrip(".\n").rsplit(" ", 1)[1])
                self.address = f"http://127.0.0.1:{port}/session"
                break
        # No time limit but ctest's: a busy machine is not an error.
        match = {"browserName": "chrome", "goog:chromeOptions": self.options,
                 "timeouts": {"script": None, "pageLoad": 3_600_000},
                 "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self.ask("POST", "", {"capabilities": {"alwaysMatch": match}})
        self.address += "/" + session["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, file):
        self.ask("POST", "/url", {"url": address_of(file)})

    def run(self, script, *arguments):
        """The value that the body of a function returns in the page; a promise is waited for."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def processor_seconds(self, action):
        """Processor time, however busy the machine is, that the page's tasks take during a call of action."""

        def tasks():
            metrics = self.protocol("Performance.getMetrics")["metrics"]
            return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

        self.protocol("Performance.enable", timeDomain="threadTicks")
        before = tasks()
        action()
        return tasks() - before

    def protocol(self, command, **parameters):
        """The answer to a command of the Chrome DevTools protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def wait(self, condition, seconds=120):
        """Waits until an expression is true in the page, on a busy machine, too."""
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def press(self, keys):
        """Types keys, characters of the protocol's key codes among them, into the element that has the focus."""
        actions = [{"type": step, "value": key} for key in keys for step in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def point(self, x, y):
        """Moves the pointer to a point of the window."""
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def screenshot(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def messages(self):
        """What the page wrote to the console since the last call."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def requests(self, file):
        """The addresses that the page of a file asked for since the last call, that of the file included."""
        entries = [json.loads(entry["message"])["message"] for entry in self.ask("POST", "/se/log", {"type": "performance"})]
        sent = [entry["params"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent if each["documentURL"].partition("#")[0] == address_of(file)]
