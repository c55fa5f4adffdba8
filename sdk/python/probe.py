#!/usr/bin/env python3
"""The conformance probe on the Python SDK, as sdk/probe is on the Go one."""

import json
import os
import threading
import time

import flash_plugin as flash

SOURCE = "conformance.items"
TARGET_PID = 4242
EXIT_DELAY = 0.25
EVENTS_QUIET, EVENTS_WAIT = 0.02, 0.5

plugin = flash.Plugin()
seen, seen_lock, latest = [], threading.Lock(), [0.0]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def basic_rows():
    return [
        flash.row(SOURCE, "alpha", metadata={"k": "v1"}),
        flash.row(SOURCE, "béta ⚡ 名前"),
        flash.row(SOURCE, "gamma", url="https://example.com/g", effect=flash.open_url("https://example.com/g")),
    ]


def catalogue(config):
    nested = config.table("conformance")
    if config.bool("empty_catalog", nested.bool("empty_catalog")):
        return []
    count = config.int("catalog_rows", nested.int("catalog_rows", -1))
    if count < 0:
        return basic_rows()
    pad = config.int("row_pad", nested.int("row_pad"))
    metadata = {"pad": "x" * pad} if pad > 0 else None
    return [flash.row(SOURCE, "row %d" % i, metadata=metadata) for i in range(count)]


@plugin.start
def start(host):
    if not host.config.bool("skip_publish", host.config.table("conformance").bool("skip_publish")):
        host.publish(catalogue(host.config))


@plugin.event
def event(host, ev):
    with seen_lock:
        latest[0] = time.monotonic()
        if ev.name not in seen and len(seen) < 256:
            seen.append(ev.name)


def state(request):
    """Lists the events seen, once none came for a moment: they have a queue of their own."""
    began = time.monotonic()
    while True:
        now = time.monotonic()
        left = min(max(latest[0], began) + EVENTS_QUIET, began + EVENTS_WAIT) - now
        if left <= 0 or not request.wait(left):
            break
    with seen_lock:
        return compact(seen)


@plugin.evaluate
def evaluate(host, request):
    if request.query == "conf:one":
        return [flash.answer("one", "s")]
    if request.query == "conf:unicode":
        return [flash.answer("héllo ⚡ 世界")]
    if request.query == "conf:many":
        return [flash.answer("answer %d" % (i + 1)) for i in range(17)]
    return []


@plugin.search
def search(host, request):
    return [r for r in basic_rows() if request.query.lower() in r["title"].lower()]


@plugin.hints
def hints(host, request):
    return [
        {"id": "t1", "frame": {"x": -10.5, "y": 20, "width": 30, "height": 40}, "role": "AXLink", "label": "one"},
        {"id": "t2", "frame": {"x": 0, "y": 0, "width": 10, "height": 10}, "role": "FlashTerminalLink", "label": "two"},
    ]


@plugin.perform
def perform(host, request):
    if request.kind == "command":
        return word(host, request, list(request.args))
    if request.kind == "action" and request.name == "conf_performed":
        return flash.done(target_pid=TARGET_PID)
    if request.kind == "action" and request.name == "conf_failed":
        return flash.failed("conformance action failed")
    if request.kind == "resolve" and request.row["title"] == "alpha":
        return flash.done(target_pid=TARGET_PID)
    if request.kind == "navigate" and request.url == "conformance://ok":
        return flash.done()
    return flash.unhandled()


def word(host, request, args):
    def text(i, default):
        return args[i] if i < len(args) else default

    def rest(i, default):
        return " ".join(args[i:]) if i < len(args) else default

    def number(i, default):
        try:
            return int(text(i, ""))
        except ValueError:
            return default

    name = request.subcommand
    if name == "echo":
        return flash.done(compact(args) + " " + request.raw)
    if name == "env-has":
        return flash.done("present" if text(0, "") in os.environ else "absent")
    if name == "env":
        return flash.done(os.environ.get(text(0, ""), ""))
    if name == "config":
        return flash.done(compact(host.config))
    if name == "state":
        return flash.done(state(request))
    if name == "target-pid":
        return flash.done(target_pid=TARGET_PID)
    if name == "toast":
        return flash.done(rest(0, "conformance toast"))
    if name == "publish-extra":
        host.publish(basic_rows() + [flash.row(SOURCE, "extra")])
        return flash.done("published")
    if name == "sleep":
        return flash.done("slept") if request.wait(number(0, 0) / 1000) else flash.failed("the sleep was cut short")
    if name == "crash":
        os._exit(number(0, 1))
    if name == "exit-after-reply":
        threading.Timer(EXIT_DELAY, os._exit, [number(0, 0)]).start()
        return flash.done("exiting")
    if name == "stderr":
        for _ in range(number(0, 1)):
            os.write(2, b"x" * 1024)
        return flash.done("written")
    if name == "log":
        host.log(text(0, "info"), rest(1, ""))
        return flash.done("logged")
    if name == "status":
        host.status({text(0, "state"): rest(1, "")})
        return flash.done("sent")
    calls = {
        "ping": ("host.ping", {}),
        "fetch": ("host.fetch", {"url": text(0, "https://example.com/")}),
        "open": ("host.open", {"url": text(0, "https://example.com/")}),
        "clipboard": ("host.clipboard_write", {"text": rest(0, "conformance")}),
        "notify": ("host.notify", {"message": rest(0, "conformance")}),
        "storage-set": ("host.storage_set", {"key": text(0, "key"), "value": rest(1, None)}),
        "storage-get": ("host.storage_get", {"key": text(0, "key")}),
        "media": ("host.post_media_key", {"key_code": number(0, 16)}),
        "ps": ("host.process_table", {}),
        "signal": ("host.signal", {"pid": number(0, TARGET_PID)}),
        "activate": ("host.activate", {"pid": number(0, TARGET_PID)}),
        "normal-mode-target": ("host.normal_mode_target", {}),
        "keys": ("host.post_keys", {"pid": TARGET_PID, "keys": [{"key_code": 0, "modifiers": []}]}),
        "global-key": ("host.post_global_key", {"key_code": 0, "modifiers": ["command"]}),
        "ax-snapshot": ("host.ax_snapshot", {"pid": TARGET_PID, "roots": "app", "follow": ["AXChildren"],
                                             "collect": ["AXRole", "AXTitle"], "prune_roles": []}),
    }
    if name not in calls:
        return flash.failed("unsupported subcommand: " + name)
    method, params = calls[name]
    try:
        return flash.done(compact(host.call(method, params, 9.0 if name == "fetch" else 5.0)))
    except flash.HostError as refused:
        return flash.done(str(refused) if refused.result is None else compact(refused.result))


@plugin.shutdown
def shutdown(host):
    host.log("info", "conformance shutdown")


plugin.run()
