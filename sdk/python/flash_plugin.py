"""The plugin side of Flash's wire, version 1, in one file.

Copy it beside your plugin; it needs Python 3.9 and nothing else.

    import flash_plugin as flash

    plugin = flash.Plugin()

    @plugin.start
    def start(host):
        host.publish([flash.row("hello.items", "Hello", effect=flash.copy_text("Hello"))])

    @plugin.evaluate
    def evaluate(host, request):
        return [flash.answer(request.query.upper())]

    @plugin.perform
    def perform(host, request):
        return flash.done("Hello") if request.subcommand == "say" else flash.unhandled()

    plugin.run()

Handlers run on threads of their own, 16 at most; events come one at a time and
in order. A handler that has to wait does so with request.wait(seconds), which
ends with the deadline and with the plugin. print() goes to stderr: stdout is
the wire's. What a handler raises is told there by kind and place, for its text
may hold user content; with FLASH_PLUGIN_DEBUG set, as plugin-dev run and watch
do, whole. This file owns framing, deadlines and limits; it holds no payload
to the host's quotas, which the host does itself.
"""

import io
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque

PROTOCOL_VERSION = 1
MAX_FRAME = 10485760
MAX_DEPTH = 128
MAX_ID = 2**53 - 1
MAX_PID = 2147483647
OUTBOUND_FRAMES, OUTBOUND_BYTES = 64, 16 << 20
REQUESTS, REQUEST_BYTES = 16, 32 << 20
HOST_CALLS = 64
EVENT_FRAMES, EVENT_BYTES, EVENT_KEYS = 256, 16 << 20, 256
HOST_CALL_TIMEOUT = 5.0
FETCH_TIMEOUT = 9.0  # past the host's own 8 s
SHUTDOWN_HOOK = 0.75
ROOM_PATIENCE = 0.5  # how long a reply waits for a host that does not read
JOIN_BYTES = 64 << 10  # a pipe takes this much at once
# A thread's default stack of 8 MiB would count against the sandbox's cap of
# memory, times the handlers at work.
STACK_BYTES = 1 << 20

_REPLACED = frozenset("core:" + name for name in (
    "apps.changed", "focus.changed", "window.focus.changed", "ax.changed", "clipboard.changed", "config.changed",
    "power.changed", "network.changed", "volumes.changed", "space.changed", "status.observed"))


class HostError(Exception):
    """The host's refusal of a call, or why there was no reply, in the wire's words."""

    def __init__(self, text, result=None):
        super().__init__(text)
        self.result = result


class DeadlineExceeded(Exception):
    """Raise it in a handler to answer `deadline exceeded`."""


# Values of the wire.

def copy_text(text):
    return {"type": "copy_text", "text": text}


def insert_text(text):
    return {"type": "insert_text", "text": text}


def open_url(url):
    return {"type": "open", "url": url}


def open_app(bundle_id):
    return {"type": "open", "bundle_id": bundle_id}


def row(source, title, url=None, metadata=None, effect=None):
    return _present(source=source, title=title, url=url, metadata=metadata, effect=effect)


def answer(title, subtitle=None, effect=None):
    return _present(title=title, subtitle=subtitle, effect=effect or copy_text(title))


def done(message=None, target_pid=None, navigation_url=None):
    """A perform that did what was asked."""
    return _present(ok=True, message=message, target_pid=target_pid, navigation_url=navigation_url)


def unhandled():
    """A perform that is not this plugin's; the host may do something else."""
    return {"ok": False, "unhandled": True}


def failed(error):
    """A perform that was tried and failed. error holds no user content."""
    return {"ok": False, "error": error or "failed"}


def _present(**values):
    return {key: value for key, value in values.items() if value is not None}


class Config(dict):
    """The user's [plugin.<id>] table. A value of the wrong type counts as absent."""

    def string(self, key, default=""):
        value = self.get(key)
        return value if isinstance(value, str) else default

    def strings(self, key, default=()):
        value = self.get(key)
        return value if isinstance(value, list) and all(isinstance(v, str) for v in value) else list(default)

    def int(self, key, default=0):
        value = self.get(key)
        return value if type(value) is int else default

    def float(self, key, default=0.0):
        value = self.get(key)
        return float(value) if type(value) in (int, float) else default

    def bool(self, key, default=False):
        value = self.get(key)
        return value if isinstance(value, bool) else default

    def table(self, key):
        value = self.get(key)
        return Config(value if isinstance(value, dict) else {})

    @classmethod
    def parse(cls, text):
        try:
            value = json.loads(text or "{}")
        except (ValueError, RecursionError):
            value = None
        return cls(value if isinstance(value, dict) else {})


# Reading.

class _Invalid(ValueError):
    pass


def _unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Invalid("duplicate key")
    return members


def _refuse_constant(name):
    raise _Invalid("no JSON number")


def _integer(text):
    # Python refuses to convert very long digits; nothing of the wire is so long.
    return int(text) if len(text) < 400 else float(text)


def _deeper_than(value, limit):
    level = [value]
    for _ in range(limit):
        level = [child for node in level for child in (node.values() if isinstance(node, dict) else node)
                 if isinstance(child, (dict, list))]
        if not level:
            return False
    return True


def _decode(line):
    """One line as a valid envelope, or a ValueError that holds no content."""
    try:
        frame = json.loads(line.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant,
                           parse_int=_integer)
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(frame, ensure_ascii=False).encode("utf-8")
    except UnicodeError:
        raise _Invalid("not UTF-8") from None
    except RecursionError:
        raise _Invalid("nested too deep") from None
    except _Invalid:
        raise
    except ValueError:
        raise _Invalid("not JSON") from None
    if not isinstance(frame, dict):
        raise _Invalid("not an object")
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _deeper_than(frame, MAX_DEPTH):
        raise _Invalid("nested too deep")
    if not frame.keys() <= {"id", "method", "params", "result", "trace", "deadline_ms"}:
        raise _Invalid("unknown envelope key")
    frame = {key: value for key, value in frame.items() if value is not None}
    number, method, params, result = (frame.get(key) for key in ("id", "method", "params", "result"))
    if number is not None and not (type(number) is int and 1 <= number <= MAX_ID):
        raise _Invalid("invalid id")
    if method is not None and not (isinstance(method, str) and method):
        raise _Invalid("invalid method")
    if not isinstance(params, (dict, type(None))) or not isinstance(result, (dict, type(None))):
        raise _Invalid("params or result is no object")
    if method is not None and result is not None or params is not None and result is not None:
        raise _Invalid("mixed envelope")
    if method is None and (number is None or result is None):
        raise _Invalid("neither request nor response")
    if "trace" in frame or "deadline_ms" in frame:
        trace, left = frame.get("trace", "0"), frame.get("deadline_ms", 1)
        if number is None or method is None or type(left) is not int or left < 1 or not (
                isinstance(trace, str) and 1 <= len(trace) <= 16 and trace.isascii() and trace.isalnum()
                and trace == trace.lower()):
            raise _Invalid("invalid trace or deadline")
    return frame


class _Params:
    """Typed access to params: a missing or mistyped value is a fault."""

    def __init__(self, values):
        self.values = values

    def text(self, key, optional=False):
        value = self.values.get(key)
        if value is None and optional:
            return ""
        if not isinstance(value, str):
            raise _Invalid(key)
        return value

    def object(self, key, optional=False):
        value = self.values.get(key)
        if value is None and optional:
            return None
        if not isinstance(value, dict):
            raise _Invalid(key)
        return value

    def texts(self, key):
        value = self.values.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise _Invalid(key)
        return value

    def pid(self, key, optional=False):
        value = self.values.get(key)
        if value is None and optional:
            return None
        if type(value) is not int or not 1 <= value <= MAX_PID:
            raise _Invalid(key)
        return value

    def frame(self, key, optional=False):
        frame = self.object(key, optional)
        if frame is not None:
            for side in ("x", "y", "width", "height"):
                if type(frame.get(side)) not in (int, float):
                    raise _Invalid(key)
        return frame


def _check_row(value):
    p = _Params(value)
    p.text("source"), p.text("title"), p.text("url", optional=True)
    if not value.keys() <= {"source", "title", "url", "metadata", "effect"}:
        raise _Invalid("row")
    if not all(isinstance(text, str) for text in (p.object("metadata", optional=True) or {}).values()):
        raise _Invalid("metadata")
    effect = p.object("effect", optional=True)
    if effect is None:
        return value
    kind, members = effect.get("type"), {key for key, v in effect.items() if v is not None} - {"type"}
    texts = all(isinstance(effect[key], str) for key in members)
    if not texts or not (kind in ("copy_text", "insert_text") and members == {"text"}
                         or kind == "open" and members in ({"url"}, {"bundle_id"})):
        raise _Invalid("effect")
    return value


class Request:
    """What a handler is asked: the params of its method as attributes.

    evaluate: query, scope, surface. search: query, scope. hints: bundle_id,
    pid, front_window_frame. perform: kind, and by kind row | command,
    subcommand, args, raw | name, context, args | url.
    """

    kind = row = command = subcommand = raw = name = context = url = None
    args = ()

    def __init__(self, frame, plugin):
        self.method, self.trace = frame["method"], frame.get("trace")
        self._stopping = plugin.host.stopping
        left = frame.get("deadline_ms")
        self._deadline = None if left is None else time.monotonic() + left / 1000
        p = _Params(frame.get("params") or {})
        getattr(self, "_" + self.method)(p)

    def _evaluate(self, p):
        self.query, self.scope = p.text("query"), p.text("scope", optional=True)
        self.surface = p.text("surface", optional=True)

    def _search(self, p):
        self.query, self.scope = p.text("query"), p.text("scope", optional=True)

    def _hints(self, p):
        self.bundle_id, self.pid = p.text("bundle_id"), p.pid("pid")
        self.front_window_frame = p.frame("front_window_frame")

    def _perform(self, p):
        self.kind = p.text("kind")
        if self.kind == "resolve":
            self.row = _check_row(p.object("row"))
        elif self.kind == "command":
            self.command, self.subcommand = p.text("command"), p.text("subcommand", optional=True)
            self.args, self.raw = p.texts("args"), p.text("raw", optional=True)
        elif self.kind == "action":
            self.name, self.context = p.text("name"), p.object("context")
            self.args = p.object("args", optional=True) or {}
            context = _Params(self.context)
            context.text("bundle_id", optional=True), context.pid("pid", optional=True)
            context.frame("front_window_frame", optional=True)
        elif self.kind == "navigate":
            self.url = p.text("url")
        else:
            raise _Invalid("kind")

    def remaining(self):
        """Seconds until the host stops waiting; None when it set no deadline."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def wait(self, seconds):
        """Sleeps. False when the plugin ends or the deadline passed meanwhile."""
        left = self.remaining()
        if self._stopping.wait(seconds if left is None else min(seconds, left)):
            return False
        return left is None or seconds <= left


class Event:
    """One event: its name and its payload."""

    def __init__(self, name, payload, size):
        self.name, self.payload, self._size = name, payload, size

    @property
    def _key(self):
        if self.name == "core:ax.changed":
            return self.name, str(self.payload.get("pid")), str(self.payload.get("notification"))
        return self.name


def _place(error):
    """Where the plugin's own code was when it raised error, or else where that was."""
    here = os.path.abspath(__file__)
    places = traceback.extract_tb(error.__traceback__)
    own = [p for p in places if os.path.abspath(p.filename) != here
           and os.path.abspath(p.filename).startswith(os.path.dirname(here) + os.sep)]
    return (own or places)[-1]


# Writing.

def _encode(frame):
    text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:  # lone surrogates, for instance of file names
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8") + b"\n"


class _Outbox:
    """The bounded queue to the host and the thread that writes it."""

    def __init__(self, fd, failed):
        self.fd, self.failed = fd, failed
        self.changed = threading.Condition()
        self.queue, self.frames, self.bytes = deque(), 0, 0
        self.closed = False
        # What found no room: the newest of each notification, and a count.
        self.publish = self.poll = None
        self.segments, self.lost = {}, 0

    def room(self, size):
        return not self.closed and self.frames < OUTBOUND_FRAMES and self.bytes + size <= OUTBOUND_BYTES

    def push(self, frame):
        self.queue.append(frame)
        self.frames += 1
        self.bytes += len(frame)
        self.changed.notify_all()

    def send(self, frame, must=False):
        """Queues a reply or a host call; waits for room, then gives up. A reply must go out."""
        with self.changed:
            self.changed.wait_for(lambda: self.closed or self.room(len(frame)), ROOM_PATIENCE)
            if self.room(len(frame)):
                self.push(frame)
                return True
            given_up = must and not self.closed
            if given_up:
                self.close()
        if given_up:
            self.failed(1, "the host left no room for a reply")
        return False

    def newest(self, slot, frame):
        with self.changed:
            setattr(self, slot, frame)
            self.promote()

    def status(self, segments):
        with self.changed:
            self.segments.update(segments)
            self.promote()

    def log(self, frame):
        with self.changed:
            if self.room(len(frame)):
                self.push(frame)
            else:
                self.lost += 1

    def promote(self):
        for slot in ("publish", "poll"):
            frame = getattr(self, slot)
            if frame is not None and self.room(len(frame)):
                setattr(self, slot, None)
                self.push(frame)
        if self.segments and self.room(0):
            frame = _encode({"method": "status", "params": {"segments": self.segments}})
            if self.room(len(frame)):
                self.segments = {}
                self.push(frame)
        if self.lost and self.room(256):
            fields, self.lost = {"count": self.lost}, 0
            self.push(_encode({"method": "log", "params": {
                "level": "warn", "message": "log records dropped: the host does not read", "fields": fields}}))

    def close(self):
        self.closed = True
        self.queue.clear()
        self.changed.notify_all()

    def run(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.closed or self.queue)
                if self.closed:
                    return
                taken = [self.queue.popleft()]
                size = len(taken[0])
                while self.queue and size + len(self.queue[0]) <= JOIN_BYTES:
                    taken.append(self.queue.popleft())
                    size += len(taken[-1])
            data = memoryview(taken[0] if len(taken) == 1 else b"".join(taken))
            try:
                while data:
                    data = data[os.write(self.fd, data):]
            except OSError:
                with self.changed:
                    self.close()
                self.failed(0, None)
                return
            with self.changed:
                self.frames -= len(taken)
                self.bytes -= size
                self.promote()
                self.changed.notify_all()

    def flush(self, deadline):
        with self.changed:
            self.changed.wait_for(lambda: self.closed or not (self.frames or self.publish or self.segments),
                                  max(0.0, deadline - time.monotonic()))


class Host:
    """The plugin's side of its host; every method may be called from any thread."""

    def __init__(self, plugin):
        self._plugin = plugin
        self.id = os.environ.get("FLASH_PLUGIN_ID", "")
        self.version = os.environ.get("FLASH_PLUGIN_VERSION", "")
        self.data_dir = os.environ.get("FLASH_PLUGIN_DATA_DIR", "")
        self.config = Config.parse(os.environ.get("FLASH_PLUGIN_CONFIG", ""))
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._last_id, self._calls, self._closed = 0, {}, False
        self._polls, self._tickers, self._running, self._published = {}, {}, set(), None

    def publish(self, rows):
        """Replaces the whole catalogue; [] says that there is nothing."""
        frame = _encode({"method": "publish", "params": {"rows": list(rows)}})
        if self._fits(frame, "publish"):
            with self._lock:
                self._published = None
            self._plugin._out.newest("publish", frame)

    def publish_changed(self, rows):
        """Publishes rows unless they are what it published last; says whether it did."""
        frame = _encode({"method": "publish", "params": {"rows": list(rows)}})
        if not self._fits(frame, "publish"):
            return False
        with self._lock:
            if self._published == hash(frame):
                return False
            self._published = hash(frame)
        self._plugin._out.newest("publish", frame)
        return True

    def status(self, segments):
        """Sets texts of status segments by name, "" clears one, others stay."""
        if segments and self._fits(_encode(segments), "status"):
            self._plugin._out.status(dict(segments))

    def status_carousel(self, name, lines, cycle_seconds=5.0, prefix=None):
        self.status({name: _present(prefix=prefix, lines=list(lines), cycle_seconds=cycle_seconds)})

    def poll(self, registrations):
        """The host's timers for this plugin, {name: {"every": s} or {"after": s}}; ticks are events."""
        with self._lock:
            self._polls = dict(registrations)
            self._register()

    def every(self, name, seconds, function):
        """Calls function() every so many seconds of the host's clock, never beside itself; None ends it."""
        with self._lock:
            self._tickers.pop(name, None)
            if function is not None and seconds > 0:
                self._tickers[name] = (seconds, function)
            self._register()

    def _register(self):
        timers = {name: {"every": seconds} for name, (seconds, _) in self._tickers.items()}
        frame = _encode({"method": "poll", "params": {"registrations": {**self._polls, **timers}}})
        if self._fits(frame, "poll"):
            self._plugin._out.newest("poll", frame)

    def _tick(self, name):
        with self._lock:
            ticker = self._tickers.get(name)
            if ticker is None or name in self._running:
                return ticker is not None
            self._running.add(name)

        def run():
            try:
                self._plugin._guarded("interval", ticker[1])
            finally:
                with self._lock:
                    self._running.discard(name)

        if not self._plugin._task(run):
            self._running.discard(name)
        return True

    def log(self, level, message, trace=None, **fields):
        """level is debug, info, warn or error; no user content in message and fields."""
        params = _present(level=level, message=message, fields=fields, trace=trace)
        frame = _encode({"method": "log", "params": params})
        if self._fits(frame, "log"):
            self._plugin._out.log(frame)

    def _fits(self, frame, what):
        if len(frame) <= MAX_FRAME + 1:
            return True
        self._plugin._complain("dropped a %s notification of %d bytes: over the frame cap" % (what, len(frame)))
        return False

    def call(self, method, params=None, timeout=HOST_CALL_TIMEOUT):
        """Calls the host and returns the result object; a refusal is a HostError with its result."""
        reply = []
        arrived = threading.Event()
        with self._lock:
            if self._closed:
                raise HostError("host closed stdin")
            if len(self._calls) >= HOST_CALLS:
                raise HostError("host call capacity exceeded")
            self._last_id += 1
            number = self._last_id
            self._calls[number] = (arrived, reply)
        try:
            frame = _encode({"id": number, "method": method, "params": params or {}})
            if len(frame) > MAX_FRAME + 1 or not self._plugin._out.send(frame):
                raise HostError("host call capacity exceeded")
            if not arrived.wait(timeout):
                raise HostError("host call timed out")
        finally:
            with self._lock:
                self._calls.pop(number, None)
        if not reply:
            raise HostError("host closed stdin")
        if not reply[0]["ok"]:
            raise HostError(reply[0]["error"], reply[0])
        return reply[0]

    def _settle(self, number, result):
        with self._lock:
            arrived, reply = self._calls.pop(number, (None, None))
        if arrived is not None:
            reply.append(result)
            arrived.set()

    def _close_calls(self):
        with self._lock:
            self._closed, waiting, self._calls = True, self._calls, {}
        for arrived, _ in waiting.values():
            arrived.set()

    def ping(self):
        return self.call("host.ping").get("echo")

    def fetch(self, url):
        """GET over https within the manifest's fetch_urls: (status, body)."""
        result = self.call("host.fetch", {"url": url}, FETCH_TIMEOUT)
        return result["status"], result["body"]

    def open(self, url):
        self.call("host.open", {"url": url})

    def open_app(self, bundle_id):
        self.call("host.open", {"bundle_id": bundle_id})

    def activate(self, pid, window_id=None):
        self.call("host.activate", _present(pid=pid, window_id=window_id))

    def normal_mode_target(self):
        return self.call("host.normal_mode_target")

    def clipboard_write(self, text):
        self.call("host.clipboard_write", {"text": text})

    def notify(self, message, duration_ms=None):
        self.call("host.notify", _present(message=message, duration_ms=duration_ms))

    def storage_get(self, key):
        """The stored text, None when there is none."""
        result = self.call("host.storage_get", {"key": key})
        return result.get("value") if result.get("present") else None

    def storage_set(self, key, value):
        """Stores a text; None deletes it."""
        self.call("host.storage_set", {"key": key, "value": value})

    def post_media_key(self, key_code):
        self.call("host.post_media_key", {"key_code": key_code})

    def process_table(self, sample_window_ms=None):
        return self.call("host.process_table", _present(sample_window_ms=sample_window_ms))["processes"]

    def signal(self, pid):
        self.call("host.signal", {"pid": pid})

    def wifi_ssid(self, request_authorization=False):
        return self.call("host.wifi_info", {"request_authorization": request_authorization}).get("ssid")


class Plugin:
    """A plugin: handlers by decorator, then run()."""

    def __init__(self):
        self._handlers = {}
        self.host = Host(self)
        self._out = None
        self._lock = threading.Condition()
        self._requests = self._request_bytes = self._tasks = 0
        self._ending, self._status, self._ready = False, 0, False
        self._stop = threading.Event()
        self._events, self._slots, self._event_bytes, self._dropped = deque(), {}, 0, 0
        self._event_thread = False

    def _handler(name):  # noqa: N805 - makes the decorators below
        def decorate(self, function):
            self._handlers[name] = function
            return function
        decorate.__name__ = name
        return decorate

    start = _handler("start")  # start(host), after the handshake
    event = _handler("event")  # event(host, Event)
    evaluate = _handler("evaluate")  # evaluate(host, Request) -> answers
    search = _handler("search")  # search(host, Request) -> rows
    hints = _handler("hints")  # hints(host, Request) -> targets or (targets, context_pid)
    perform = _handler("perform")  # perform(host, Request) -> done() | unhandled() | failed()
    shutdown = _handler("shutdown")  # shutdown(host), within 750 ms

    def run(self):
        """Serves stdin and stdout until the host closes stdin, then exits the process."""
        threading.stack_size(STACK_BYTES)
        wire_in, wire_out = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        for stream in (sys.stdout, sys.stderr):  # what is printed is seen at once, not in blocks
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(line_buffering=True)
        self._out = _Outbox(wire_out, self._end)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._end(0, None))
        threading.Thread(target=self._out.run, daemon=True).start()
        threading.Thread(target=self._read, args=(wire_in,), daemon=True).start()
        self._stop.wait()
        self._drain()
        sys.stderr.flush()
        # Threads that still wait for something must not hold the process.
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):
                pass
        os._exit(self._status)

    def _end(self, status, reason):
        if reason:
            self._complain(reason)
        if not self._stop.is_set():
            self._status = status
            self._stop.set()

    def _drain(self):
        deadline = time.monotonic() + SHUTDOWN_HOOK
        self.host.stopping.set()
        self.host._close_calls()
        if "shutdown" in self._handlers and self._status == 0:
            self._task(lambda: self._guarded("shutdown", lambda: self._handlers["shutdown"](self.host)))
        with self._lock:
            self._ending = True
            self._lock.notify_all()
            self._lock.wait_for(lambda: self._tasks == 0, max(0.0, deadline - time.monotonic()))
        self._out.flush(deadline)

    def _complain(self, text):
        try:
            sys.stderr.write("flash %s: %s\n" % (self.host.id or "plugin", text))
            sys.stderr.flush()
        except (OSError, ValueError):
            pass

    def _guarded(self, what, function):
        """Runs a handler; what it raises is told on stderr by kind and place: its text may hold user content."""
        try:
            return True, function()
        except DeadlineExceeded:
            raise
        except BaseException as error:  # whatever a plugin's code raises, sys.exit too
            place = _place(error)
            # A host's refusal is in the wire's words, which hold no content.
            kind = "%s (%s)" % (type(error).__name__, error) if isinstance(error, HostError) else type(error).__name__
            self._complain("%s in the %s handler at %s:%d" % (kind, what, os.path.basename(place.filename), place.lineno))
            if os.environ.get("FLASH_PLUGIN_DEBUG"):
                traceback.print_exception(type(error), error, error.__traceback__)
            return False, None

    def _task(self, function):
        with self._lock:
            if self._ending:
                return False
            self._tasks += 1

        def run():
            try:
                function()
            finally:
                with self._lock:
                    self._tasks -= 1
                    self._lock.notify_all()

        threading.Thread(target=run, daemon=True).start()
        return True

    # Reading. Each byte is looked at once; a line's memory is bounded by the cap.

    def _read(self, fd):
        pending, over = bytearray(), 0
        try:
            while not self._stop.is_set():
                chunk = os.read(fd, 65536)
                if not chunk:
                    break
                start = 0
                while True:
                    end = chunk.find(b"\n", start)
                    part = chunk[start:] if end < 0 else chunk[start:end]
                    if over or len(pending) + len(part) > MAX_FRAME + 1:
                        over += len(pending) + len(part)
                        pending = bytearray()
                    else:
                        pending += part
                    if end < 0:
                        break
                    start = end + 1
                    if over:
                        self._noise(over, "over the frame cap")
                        over = 0
                        continue
                    line, pending = bytes(pending), bytearray()
                    if not self._line(line):
                        return
        except OSError as error:
            self._complain("cannot read stdin: %s" % os.strerror(error.errno or 0))
        finally:
            self._end(0, None)

    def _line(self, line):
        """Handles one line and says whether to read on."""
        if line.endswith(b"\r"):
            line = line[:-1]
        if not line.strip():
            return True
        if len(line) > MAX_FRAME:
            self._noise(len(line), "over the frame cap")
            return True
        try:
            frame = _decode(line)
        except _Invalid as error:
            self._noise(len(line), str(error))
            return True
        number, method = frame.get("id"), frame.get("method")
        if method is None:
            result = frame["result"]
            if not isinstance(result.get("ok"), bool) or not (
                    result["ok"] or isinstance(result.get("error"), str) and result["error"]):
                self._noise(len(line), "invalid response")
            else:
                self.host._settle(number, result)
        elif number is None:
            self._notification(method, frame.get("params") or {}, len(line))
        elif method == "ping":
            self._result(number, {"ok": True})
        elif method == "initialize":
            return self._initialize(number, frame.get("params") or {})
        elif method in ("evaluate", "search", "hints", "perform"):
            self._request(frame, len(line))
        else:
            self._refuse(number, "unknown method: " + method)
        return True

    def _noise(self, size, reason):
        self._complain("dropped a line of %d bytes: %s" % (size, reason))

    def _result(self, number, result):
        frame = _encode({"id": number, "result": result})
        if len(frame) > MAX_FRAME + 1:
            frame = _encode({"id": number, "result": {"ok": False, "error": "response exceeded outbound frame limit"}})
        self._out.send(frame, must=True)

    def _refuse(self, number, error):
        self._result(number, {"ok": False, "error": error})

    def _initialize(self, number, params):
        if self._ready:
            self._refuse(number, "initialize may only be called once")
            return True
        version = params.get("protocol_version")
        version = version if type(version) is int else 0
        if version != PROTOCOL_VERSION:
            self._result(number, {"ok": False, "protocol_version": PROTOCOL_VERSION, "error":
                                  "protocol version mismatch: host v%d, plugin v%d" % (version, PROTOCOL_VERSION)})
            return False
        self._ready = True
        self._result(number, {"ok": True, "protocol_version": PROTOCOL_VERSION})
        if "start" in self._handlers:
            self._task(lambda: self._guarded("start", lambda: self._handlers["start"](self.host)))
        return True

    def _request(self, frame, size):
        number, method = frame["id"], frame["method"]
        handler = self._handlers.get(method)
        if handler is None and method != "perform":
            self._refuse(number, "unknown method: " + method)
            return
        try:
            request = Request(frame, self)
        except _Invalid:
            self._refuse(number, "invalid %s params" % method)
            return
        with self._lock:
            admitted = self._requests < REQUESTS and self._request_bytes + size <= REQUEST_BYTES
            if admitted:
                self._requests += 1
                self._request_bytes += size
        if not admitted:
            self._refuse(number, "plugin request capacity exceeded")
            return

        def run():
            try:
                result = self._answer(handler, request)
            finally:
                with self._lock:
                    self._requests -= 1
                    self._request_bytes -= size
            self._result(number, result)

        if not self._task(run):
            self._refuse(number, "host closed stdin")

    def _answer(self, handler, request):
        if handler is None:
            return unhandled()
        try:
            returned, value = self._guarded(request.method, lambda: handler(self.host, request))
            if not returned:
                return failed(request.method + " handler failed")
            if request.method == "perform":
                json.dumps(value, allow_nan=False)
                return value if isinstance(value, dict) else failed("perform handler failed")
            if request.method == "hints":
                targets, pid = value if isinstance(value, tuple) else (value, None)
                result = _present(ok=True, targets=list(targets or ()), context_pid=pid)
            else:
                result = {"ok": True, "answers" if request.method == "evaluate" else "rows": list(value or ())}
            json.dumps(result, allow_nan=False)
            return result
        except DeadlineExceeded:
            return failed("deadline exceeded")
        except (TypeError, ValueError, RecursionError):
            self._complain("the %s handler returned what is no JSON" % request.method)
            return failed(request.method + " handler failed")

    # Events: wire order on one thread; behind a full queue the newest of each kind.

    def _notification(self, method, params, size):
        name, payload = params.get("name"), params.get("payload")
        payload = {} if payload is None else payload
        if method != "event" or not isinstance(name, str) or not name or not isinstance(payload, dict):
            self._noise(size, "unknown notification" if method != "event" else "invalid event")
            return
        if name.startswith("core:poll:") and self.host._tick(name[len("core:poll:"):]):
            return
        if "event" in self._handlers:
            self._push_event(Event(name, payload, size))

    def _push_event(self, event):
        with self._lock:
            replaced = event.name in _REPLACED
            if replaced:
                self._slots.pop(event._key, None)
                for waiting in self._events:
                    if waiting.name == event.name and waiting._key == event._key:
                        self._events.remove(waiting)
                        self._event_bytes -= waiting._size
                        break
                self._promote_events()
            if not self._slots and self._event_room(event):
                self._events.append(event)
                self._event_bytes += event._size
            elif replaced and len(self._slots) < EVENT_KEYS:
                self._slots[event._key] = event
            else:
                self._dropped += 1
            self._lock.notify_all()
            begin, self._event_thread = not self._event_thread, True
        if begin:
            self._task(self._run_events)

    def _event_room(self, event):
        return not self._events or (
            len(self._events) < EVENT_FRAMES and self._event_bytes + event._size <= EVENT_BYTES)

    def _promote_events(self):
        while self._slots:
            key = next(iter(self._slots))
            if not self._event_room(self._slots[key]):
                return
            event = self._slots.pop(key)
            self._events.append(event)
            self._event_bytes += event._size

    def _run_events(self):
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._events or self._ending)
                if not self._events:
                    return
                event = self._events.popleft()
                self._event_bytes -= event._size
                self._promote_events()
                dropped, self._dropped = self._dropped, 0
            if dropped:
                self._complain("dropped %d events: the handler is behind" % dropped)
            self._guarded("event", lambda: self._handlers["event"](self.host, event))
