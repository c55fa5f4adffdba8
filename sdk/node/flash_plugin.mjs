/**
 * The plugin side of Flash's wire, version 1, in one file.
 *
 * Copy it beside your plugin; it needs Node 18 and no packages.
 *
 *     import { Plugin, answer, copyText, done, row, unhandled } from './flash_plugin.mjs'
 *
 *     new Plugin({
 *       start(host) { host.publish([row('hello.items', 'Hello', { effect: copyText('Hello') })]) },
 *       evaluate(host, request) { return [answer(request.query.toUpperCase())] },
 *       perform(host, request) { return request.subcommand === 'say' ? done('Hello') : unhandled() },
 *     }).run()
 *
 * Handlers may be async; 16 requests are at work at most, events come one at a
 * time and in order. A handler that has to wait does so with
 * `await request.wait(ms)`, which ends with the deadline and with the plugin,
 * or hands request.signal on. console.log goes to stderr: stdout is the wire's.
 * What a handler throws is told there by kind and place, for its text may hold
 * user content; with FLASH_PLUGIN_DEBUG set, as plugin-dev run and watch do,
 * whole.
 * This file owns framing, deadlines and limits; it holds no payload to the
 * host's quotas, which the host does itself.
 */

import { Console } from 'node:console'
import { Socket } from 'node:net'
import process from 'node:process'

export const PROTOCOL_VERSION = 1
const MAX_FRAME = 10485760
const MAX_DEPTH = 128
const MAX_PID = 2147483647
const OUTBOUND_FRAMES = 64, OUTBOUND_BYTES = 16 << 20
const REQUESTS = 16, REQUEST_BYTES = 32 << 20
const HOST_CALLS = 64
const EVENT_FRAMES = 256, EVENT_BYTES = 16 << 20, EVENT_KEYS = 256
const HOST_CALL_MS = 5000
const FETCH_MS = 9000 // past the host's own 8 s
const SHUTDOWN_MS = 750
const ROOM_MS = 500 // how long a reply waits for a host that does not read

const REPLACED = new Set(['apps.changed', 'focus.changed', 'window.focus.changed', 'ax.changed', 'clipboard.changed',
  'config.changed', 'power.changed', 'network.changed', 'volumes.changed', 'space.changed', 'status.observed',
].map((name) => 'core:' + name))

/** The host's refusal of a call, or why there was no reply, in the wire's words. */
export class HostError extends Error {
  constructor(text, result) {
    super(text)
    this.result = result
  }
}

/** Throw it in a handler to answer `deadline exceeded`. */
export class DeadlineExceeded extends Error {}

// Values of the wire.

export const copyText = (text) => ({ type: 'copy_text', text })
export const insertText = (text) => ({ type: 'insert_text', text })
export const openURL = (url) => ({ type: 'open', url })
export const openApp = (bundleID) => ({ type: 'open', bundle_id: bundleID })
export const row = (source, title, { url, metadata, effect } = {}) => ({ source, title, url, metadata, effect })
export const answer = (title, { subtitle, effect } = {}) => ({ title, subtitle, effect: effect ?? copyText(title) })

/** A perform that did what was asked. */
export const done = (message, { targetPID, navigationURL } = {}) =>
  ({ ok: true, message, target_pid: targetPID, navigation_url: navigationURL })
/** A perform that is not this plugin's; the host may do something else. */
export const unhandled = () => ({ ok: false, unhandled: true })
/** A perform that was tried and failed. error holds no user content. */
export const failed = (error) => ({ ok: false, error: error || 'failed' })

/** The user's [plugin.<id>] table. A value of the wrong type counts as absent. */
export class Config {
  constructor(values) {
    this.values = isObject(values) ? values : {}
  }

  static parse(text) {
    try {
      return new Config(JSON.parse(text || '{}'))
    } catch {
      return new Config({})
    }
  }

  #own(key) {
    return Object.hasOwn(this.values, key) ? this.values[key] : undefined
  }

  string(key, otherwise = '') {
    const v = this.#own(key)
    return typeof v === 'string' ? v : otherwise
  }

  strings(key, otherwise = []) {
    const v = this.#own(key)
    return Array.isArray(v) && v.every((s) => typeof s === 'string') ? v : otherwise
  }

  int(key, otherwise = 0) {
    const v = this.#own(key)
    return Number.isInteger(v) ? v : otherwise
  }

  float(key, otherwise = 0) {
    const v = this.#own(key)
    return typeof v === 'number' ? v : otherwise
  }

  bool(key, otherwise = false) {
    const v = this.#own(key)
    return typeof v === 'boolean' ? v : otherwise
  }

  table(key) {
    return new Config(this.#own(key))
  }
}

const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v)

// Reading. JSON.parse takes a key twice and hides whether 1.0 was an integer,
// so the wire has a parser of its own.

class Invalid extends Error {}

const SPACE = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const CONTROL = /[\u0000-\u001f]/ // eslint-disable-line no-control-regex
const LONE = /\p{Surrogate}/u
const WORDS = { t: ['true', true], f: ['false', false], n: ['null', null] }

class Parser {
  constructor(text) {
    this.text = text
    this.at = 0
  }

  document() {
    const value = this.value(1, '')
    this.space()
    if (this.at !== this.text.length) throw new Invalid('not JSON')
    return value
  }

  space() {
    SPACE.lastIndex = this.at
    SPACE.test(this.text)
    this.at = SPACE.lastIndex
  }

  /** path is where the value stands as far as the wire has integers there. */
  value(depth, path) {
    this.space()
    const c = this.text[this.at]
    if (c === '"') return this.string()
    if (c === '{' || c === '[') {
      if (depth > MAX_DEPTH) throw new Invalid('nested too deep')
      return c === '{' ? this.object(depth, path) : this.array(depth)
    }
    const word = WORDS[c]
    if (word !== undefined) {
      if (!this.text.startsWith(word[0], this.at)) throw new Invalid('not JSON')
      this.at += word[0].length
      return word[1]
    }
    NUMBER.lastIndex = this.at
    const m = NUMBER.exec(this.text)
    if (m === null) throw new Invalid('not JSON')
    this.at = NUMBER.lastIndex
    // Where an integer is due, 1.0 is none.
    if (INTEGERS.has(path) && (m[1] !== undefined || m[2] !== undefined)) return NaN
    return Number(m[0])
  }

  object(depth, path) {
    const out = Object.create(null)
    this.at++
    this.space()
    if (this.text[this.at] === '}') {
      this.at++
      return out
    }
    for (;;) {
      this.space()
      if (this.text[this.at] !== '"') throw new Invalid('not JSON')
      const key = this.string()
      if (key in out) throw new Invalid('duplicate key')
      this.space()
      if (this.text[this.at++] !== ':') throw new Invalid('not JSON')
      out[key] = this.value(depth + 1, depth <= 3 ? path + '.' + key : '')
      if (this.more('}')) return out
    }
  }

  array(depth) {
    const out = []
    this.at++
    this.space()
    if (this.text[this.at] === ']') {
      this.at++
      return out
    }
    for (;;) {
      out.push(this.value(depth + 1, ''))
      if (this.more(']')) return out
    }
  }

  more(close) {
    this.space()
    const c = this.text[this.at++]
    if (c !== ',' && c !== close) throw new Invalid('not JSON')
    return c === close
  }

  string() {
    const start = this.at + 1
    let end = start - 1
    let escapes = false
    do {
      end = this.text.indexOf('"', end + 1)
      if (end < 0) throw new Invalid('not JSON')
      let slashes = 0
      while (this.text.charCodeAt(end - 1 - slashes) === 0x5c && end - 1 - slashes >= start) slashes++
      if (slashes % 2 === 0) break
      escapes = true
    } while (true)
    this.at = end + 1
    const raw = this.text.slice(start, end)
    if (!escapes && !raw.includes('\\')) {
      if (CONTROL.test(raw)) throw new Invalid('not JSON')
      return raw
    }
    let value
    try {
      value = JSON.parse('"' + raw + '"')
    } catch {
      throw new Invalid('not JSON')
    }
    if (LONE.test(value)) throw new Invalid('lone surrogate')
    return value
  }
}

const INTEGERS = new Set(['.id', '.deadline_ms', '.params.protocol_version', '.params.pid', '.params.context.pid'])
const KEYS = new Set(['id', 'method', 'params', 'result', 'trace', 'deadline_ms'])
// ignoreBOM keeps a byte order mark, which is no JSON.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(line) {
  let text
  try {
    text = utf8.decode(line)
  } catch {
    throw new Invalid('not UTF-8')
  }
  const frame = new Parser(text).document()
  if (!isObject(frame)) throw new Invalid('not an object')
  for (const key of Object.keys(frame)) {
    if (!KEYS.has(key)) throw new Invalid('unknown envelope key')
    if (frame[key] === null) delete frame[key]
  }
  const { id, method, params, result, trace, deadline_ms: left } = frame
  if (id !== undefined && !(Number.isSafeInteger(id) && id >= 1)) throw new Invalid('invalid id')
  if (method !== undefined && (typeof method !== 'string' || method === '')) throw new Invalid('invalid method')
  for (const part of [params, result]) {
    if (part !== undefined && !isObject(part)) throw new Invalid('params or result is no object')
  }
  if (result !== undefined && (method !== undefined || params !== undefined)) throw new Invalid('mixed envelope')
  if (method === undefined && (id === undefined || result === undefined)) throw new Invalid('neither request nor response')
  if (trace !== undefined || left !== undefined) {
    if (id === undefined || method === undefined || (left !== undefined && !(Number.isSafeInteger(left) && left >= 1)) ||
      (trace !== undefined && !(typeof trace === 'string' && /^[0-9a-z]{1,16}$/.test(trace)))) {
      throw new Invalid('invalid trace or deadline')
    }
  }
  return frame
}

/** Typed access to params: a missing or mistyped value is a fault. */
class Params {
  constructor(values) {
    this.values = values
  }

  #get(key, optional, good) {
    const v = this.values[key] ?? undefined
    if (v === undefined && optional) return undefined
    if (!good(v)) throw new Invalid(key)
    return v
  }

  text(key, optional) {
    return this.#get(key, optional, (v) => typeof v === 'string') ?? ''
  }

  object(key, optional) {
    return this.#get(key, optional, isObject)
  }

  texts(key) {
    return this.#get(key, true, (v) => Array.isArray(v) && v.every((s) => typeof s === 'string')) ?? []
  }

  pid(key, optional) {
    return this.#get(key, optional, (v) => Number.isInteger(v) && v >= 1 && v <= MAX_PID)
  }

  frame(key, optional) {
    return this.#get(key, optional, (v) => isObject(v) && ['x', 'y', 'width', 'height'].every((s) => typeof v[s] === 'number'))
  }
}

const ROW_KEYS = new Set(['source', 'title', 'url', 'metadata', 'effect'])

function checkRow(value) {
  const p = new Params(value)
  p.text('source')
  p.text('title')
  p.text('url', true)
  if (!Object.keys(value).every((key) => ROW_KEYS.has(key))) throw new Invalid('row')
  if (!Object.values(p.object('metadata', true) ?? {}).every((s) => typeof s === 'string')) throw new Invalid('metadata')
  const effect = p.object('effect', true)
  if (effect === undefined) return value
  const members = Object.keys(effect).filter((key) => key !== 'type' && effect[key] !== null)
  const takes = { copy_text: ['text'], insert_text: ['text'], open: ['url', 'bundle_id'] }[effect.type] ?? []
  if (members.length !== 1 || !takes.includes(members[0]) || typeof effect[members[0]] !== 'string') throw new Invalid('effect')
  return value
}

/**
 * What a handler is asked: the params of its method as properties.
 *
 * evaluate: query, scope, surface. search: query, scope. hints: bundleID, pid,
 * frame. perform: kind, and by kind row | command, subcommand, args, raw |
 * name, context, args | url.
 */
class Request {
  constructor(frame, stopping) {
    this.method = frame.method
    this.trace = frame.trace
    this.controller = new AbortController()
    /** Aborts at the deadline and at the plugin's end. */
    this.signal = this.controller.signal
    const p = new Params(frame.params ?? {})
    this['_' + frame.method](p)
    this.stop = () => this.controller.abort()
    stopping.addEventListener('abort', this.stop)
    this.stopping = stopping
    if (frame.deadline_ms !== undefined) {
      this.timer = setTimeout(() => {
        this.late = true
        this.controller.abort()
      }, Math.min(frame.deadline_ms, 2 ** 31 - 1))
      this.timer.unref()
    }
  }

  end() {
    clearTimeout(this.timer)
    this.stopping.removeEventListener('abort', this.stop)
  }

  _evaluate(p) {
    this.query = p.text('query')
    this.scope = p.text('scope', true)
    this.surface = p.text('surface', true)
  }

  _search(p) {
    this.query = p.text('query')
    this.scope = p.text('scope', true)
  }

  _hints(p) {
    this.bundleID = p.text('bundle_id')
    this.pid = p.pid('pid')
    this.frame = p.frame('front_window_frame')
  }

  _perform(p) {
    this.kind = p.text('kind')
    switch (this.kind) {
      case 'resolve':
        this.row = checkRow(p.object('row'))
        break
      case 'command':
        this.command = p.text('command')
        this.subcommand = p.text('subcommand', true)
        this.args = p.texts('args')
        this.raw = p.text('raw', true)
        break
      case 'action': {
        this.name = p.text('name')
        this.context = p.object('context')
        this.args = p.object('args', true) ?? {}
        const context = new Params(this.context)
        context.text('bundle_id', true)
        context.pid('pid', true)
        context.frame('front_window_frame', true)
        break
      }
      case 'navigate':
        this.url = p.text('url')
        break
      default:
        throw new Invalid('kind')
    }
  }

  /** Sleeps. False when the plugin ends or the deadline passes meanwhile. */
  wait(ms) {
    if (this.signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (whole) => {
        clearTimeout(timer)
        this.signal.removeEventListener('abort', aborted)
        resolve(whole)
      }
      const aborted = () => end(false)
      const timer = setTimeout(() => end(true), ms)
      this.signal.addEventListener('abort', aborted)
    })
  }
}

// Writing.

function encode(frame) {
  let text = JSON.stringify(frame)
  // JSON.stringify escapes lone surrogates; the wire has none.
  if (text.includes('\\ud')) text = text.replace(/(\\\\)|\\ud[89a-f][0-9a-f]{2}/g, (m, pair) => pair ?? '\ufffd')
  return Buffer.from(text + '\n')
}

/** The bounded queue to the host. */
class Outbox {
  constructor(fd, failed) {
    this.failed = failed
    this.socket = new Socket({ fd, readable: false, writable: true })
    this.socket.on('error', () => this.close(0))
    this.frames = 0
    this.bytes = 0
    this.closed = false
    this.waiting = [] // replies and host calls without room, oldest first
    this.segments = undefined
    this.lost = 0
  }

  room(size) {
    return !this.closed && this.frames < OUTBOUND_FRAMES && this.bytes + size <= OUTBOUND_BYTES
  }

  push(frame) {
    this.frames++
    this.bytes += frame.length
    this.socket.write(frame, () => {
      this.frames--
      this.bytes -= frame.length
      this.promote()
    })
  }

  /** Queues a reply or a host call; waits for room, then gives up. Resolves to whether it went. */
  send(frame, must) {
    if (this.waiting.length === 0 && this.room(frame.length)) {
      this.push(frame)
      return Promise.resolve(true)
    }
    if (this.closed) return Promise.resolve(false)
    return new Promise((resolve) => {
      const entry = { frame, resolve }
      entry.timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== entry)
        resolve(false)
        if (must && !this.closed) this.close(1, 'the host left no room for a reply')
      }, ROOM_MS)
      this.waiting.push(entry)
    })
  }

  newest(slot, frame) {
    this[slot] = frame
    this.promote()
  }

  status(segments) {
    this.segments = { ...this.segments, ...segments }
    this.promote()
  }

  log(frame) {
    if (this.room(frame.length)) this.push(frame)
    else this.lost++
  }

  promote() {
    while (this.waiting.length > 0 && this.room(this.waiting[0].frame.length)) {
      const { frame, resolve, timer } = this.waiting.shift()
      clearTimeout(timer)
      this.push(frame)
      resolve(true)
    }
    for (const slot of ['publish', 'poll']) {
      const frame = this[slot]
      if (frame !== undefined && this.room(frame.length)) {
        this[slot] = undefined
        this.push(frame)
      }
    }
    if (this.segments !== undefined && this.room(0)) {
      const frame = encode({ method: 'status', params: { segments: this.segments } })
      if (this.room(frame.length)) {
        this.segments = undefined
        this.push(frame)
      }
    }
    if (this.lost > 0 && this.room(256)) {
      const fields = { count: this.lost }
      this.lost = 0
      this.push(encode({ method: 'log', params: { level: 'warn', message: 'log records dropped: the host does not read', fields } }))
    }
    if (this.drained && this.idle()) this.drained()
  }

  idle() {
    return this.closed || (this.frames === 0 && this.waiting.length === 0 && this.publish === undefined && this.segments === undefined)
  }

  flush() {
    if (this.idle()) return Promise.resolve()
    return new Promise((resolve) => { this.drained = resolve })
  }

  close(status, reason) {
    if (this.closed) return
    this.closed = true
    for (const { resolve, timer } of this.waiting.splice(0)) {
      clearTimeout(timer)
      resolve(false)
    }
    this.drained?.()
    this.failed(status, reason)
  }
}

/** The plugin's side of its host. */
class Host {
  #plugin
  #calls = new Map()
  #last = 0
  #closed = false
  #polls = {}
  #tickers = new Map()
  #published

  constructor(plugin) {
    this.#plugin = plugin
    this.id = process.env.FLASH_PLUGIN_ID ?? ''
    this.version = process.env.FLASH_PLUGIN_VERSION ?? ''
    this.dataDir = process.env.FLASH_PLUGIN_DATA_DIR ?? ''
    this.config = Config.parse(process.env.FLASH_PLUGIN_CONFIG)
  }

  /** Replaces the whole catalogue; [] says that there is nothing. */
  publish(rows) {
    this.#published = undefined
    this.#notify('publish', { rows }, (frame) => this.#plugin.out.newest('publish', frame))
  }

  /** Publishes rows unless they are what it published last; says whether it did. */
  publishChanged(rows) {
    const text = JSON.stringify(rows)
    if (text === this.#published) return false
    this.publish(rows)
    this.#published = text
    return true
  }

  /** Sets texts of status segments by name, '' clears one, others stay. */
  status(segments) {
    if (Object.keys(segments).length > 0) this.#notify('status', { segments }, () => this.#plugin.out.status(segments))
  }

  statusCarousel(name, lines, { cycleSeconds = 5, prefix } = {}) {
    this.status({ [name]: { prefix, lines, cycle_seconds: cycleSeconds } })
  }

  /** The host's timers for this plugin, {name: {every: s} or {after: s}}; ticks are events. */
  poll(registrations) {
    this.#polls = { ...registrations }
    this.#register()
  }

  /** Calls fn every so many seconds of the host's clock, never beside itself; null ends it. */
  every(name, seconds, fn) {
    this.#tickers.delete(name)
    if (fn && seconds > 0) this.#tickers.set(name, { seconds, fn, running: false })
    this.#register()
  }

  #register() {
    const registrations = { ...this.#polls }
    for (const [name, { seconds }] of this.#tickers) registrations[name] = { every: seconds }
    this.#notify('poll', { registrations }, (frame) => this.#plugin.out.newest('poll', frame))
  }

  _tick(name) {
    const ticker = this.#tickers.get(name)
    if (ticker === undefined || ticker.running) return ticker !== undefined
    ticker.running = true
    this.#plugin.task(async () => {
      await this.#plugin.guarded('interval', ticker.fn)
      ticker.running = false
    })
    return true
  }

  /** level is debug, info, warn or error; no user content in message and fields. */
  log(level, message, fields = {}, trace) {
    this.#notify('log', { level, message, fields, trace }, (frame) => this.#plugin.out.log(frame))
  }

  #notify(method, params, send) {
    const frame = encode({ method, params })
    if (frame.length <= MAX_FRAME + 1) return send(frame)
    this.#plugin.complain(`dropped a ${method} notification of ${frame.length} bytes: over the frame cap`)
  }

  /** Calls the host for the result object; a refusal is a HostError with its result. */
  async call(method, params = {}, timeoutMS = HOST_CALL_MS) {
    if (this.#closed) throw new HostError('host closed stdin')
    if (this.#calls.size >= HOST_CALLS) throw new HostError('host call capacity exceeded')
    const id = ++this.#last
    const frame = encode({ id, method, params })
    if (frame.length > MAX_FRAME + 1) throw new HostError('host call capacity exceeded')
    const reply = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new HostError('host call timed out')), timeoutMS)
      this.#calls.set(id, { resolve, reject, timer })
    })
    reply.catch(() => {})
    try {
      if (!await this.#plugin.out.send(frame)) throw new HostError('host call capacity exceeded')
      const result = await reply
      if (!result.ok) throw new HostError(result.error, result)
      return result
    } finally {
      clearTimeout(this.#calls.get(id)?.timer)
      this.#calls.delete(id)
    }
  }

  _settle(id, result) {
    const call = this.#calls.get(id)
    if (call === undefined) return
    clearTimeout(call.timer)
    this.#calls.delete(id)
    call.resolve(result)
  }

  _close() {
    this.#closed = true
    for (const { reject, timer } of this.#calls.values()) {
      clearTimeout(timer)
      reject(new HostError('host closed stdin'))
    }
    this.#calls.clear()
  }

  async ping() { return (await this.call('host.ping')).echo }
  /** GET over https within the manifest's fetch_urls: {status, body}. */
  fetch(url) { return this.call('host.fetch', { url }, FETCH_MS) }
  open(url) { return this.call('host.open', { url }) }
  openApp(bundleID) { return this.call('host.open', { bundle_id: bundleID }) }
  activate(pid, windowID) { return this.call('host.activate', { pid, window_id: windowID }) }
  normalModeTarget() { return this.call('host.normal_mode_target') }
  clipboardWrite(text) { return this.call('host.clipboard_write', { text }) }
  notify(message, durationMS) { return this.call('host.notify', { message, duration_ms: durationMS }) }
  /** The stored text, undefined when there is none. */
  async storageGet(key) { return (await this.call('host.storage_get', { key })).value ?? undefined }
  /** Stores a text; null deletes it. */
  storageSet(key, value) { return this.call('host.storage_set', { key, value }) }
  postMediaKey(keyCode) { return this.call('host.post_media_key', { key_code: keyCode }) }
  async processTable(windowMS) { return (await this.call('host.process_table', { sample_window_ms: windowMS })).processes }
  signal(pid) { return this.call('host.signal', { pid }) }
  async wifiSSID(ask = false) { return (await this.call('host.wifi_info', { request_authorization: ask })).ssid }
}

/**
 * A plugin: handlers start(host), event(host, {name, payload}),
 * evaluate(host, request) → answers, search(host, request) → rows,
 * hints(host, request) → targets or {targets, contextPID},
 * perform(host, request) → done() | unhandled() | failed(), shutdown(host).
 */
export class Plugin {
  #handlers
  #stopping = new AbortController()
  #ready = false
  #requests = 0
  #requestBytes = 0
  #tasks = new Set()
  #events = []
  #slots = new Map()
  #eventBytes = 0
  #dropped = 0
  #handling = false
  #status = 0

  constructor(handlers) {
    this.#handlers = handlers
    this.host = new Host(this)
  }

  /** Serves stdin and stdout until the host closes stdin, then exits the process. */
  run() {
    this.out = new Outbox(1, (status, reason) => this.#end(status, reason))
    Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr })
    globalThis.console = new Console(process.stderr, process.stderr)
    for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => this.#end(0))
    process.on('unhandledRejection', (error) => this.complain(`unhandled rejection: ${describe(error)}`))
    this.input = new Socket({ fd: 0, readable: true, writable: false })
    let parts = []
    let size = 0
    let over = 0
    this.input.on('data', (chunk) => {
      for (let start = 0; !this.#stopping.signal.aborted;) {
        const end = chunk.indexOf(10, start)
        const part = chunk.subarray(start, end < 0 ? chunk.length : end)
        if (over > 0 || size + part.length > MAX_FRAME + 1) {
          over += size + part.length
          parts = []
          size = 0
        } else if (part.length > 0) {
          parts.push(part)
          size += part.length
        }
        if (end < 0) return
        start = end + 1
        if (over > 0) this.#noise(over, 'over the frame cap')
        else this.#line(parts.length === 1 ? parts[0] : Buffer.concat(parts, size))
        parts = []
        size = over = 0
      }
    })
    this.input.on('end', () => this.#end(0))
    this.input.on('error', () => this.#end(0))
  }

  #end(status, reason) {
    if (reason) this.complain(reason)
    if (this.#stopping.signal.aborted) return
    this.#status = status
    setTimeout(() => process.exit(status), SHUTDOWN_MS)
    this.#stopping.abort()
    this.input.destroy()
    this.host._close()
    this.#drain()
  }

  async #drain() {
    if (this.#handlers.shutdown && this.#status === 0) {
      this.task(() => this.guarded('shutdown', () => this.#handlers.shutdown(this.host)), true)
    }
    while (this.#tasks.size > 0) await Promise.allSettled([...this.#tasks])
    await this.out.flush()
    process.exit(this.#status)
  }

  complain(text) {
    process.stderr.write(`flash ${this.host.id || 'plugin'}: ${text}\n`)
  }

  /** Runs a handler; what it throws is told on stderr by kind and place: its text may hold user content. */
  async guarded(what, fn) {
    try {
      return { value: await fn() }
    } catch (error) {
      if (error instanceof DeadlineExceeded) return { late: true }
      this.complain(`${describe(error)} in the ${what} handler`)
      if (process.env.FLASH_PLUGIN_DEBUG) process.stderr.write(`${error?.stack ?? error}\n`)
      return { failed: true }
    }
  }

  task(fn, last = false) {
    if (this.#stopping.signal.aborted && !last) return
    const running = fn().finally(() => this.#tasks.delete(running))
    this.#tasks.add(running)
  }

  #noise(size, reason) {
    this.complain(`dropped a line of ${size} bytes: ${reason}`)
  }

  #line(line) {
    if (line.length > 0 && line[line.length - 1] === 13) line = line.subarray(0, -1)
    if (line.length === 0) return
    if (line.length > MAX_FRAME) return this.#noise(line.length, 'over the frame cap')
    let frame
    try {
      frame = decode(line)
    } catch (error) {
      return this.#noise(line.length, error instanceof Invalid ? error.message : 'not JSON')
    }
    const { id, method, params = {}, result } = frame
    if (method === undefined) {
      const good = typeof result.ok === 'boolean' && (result.ok || (typeof result.error === 'string' && result.error !== ''))
      return good ? this.host._settle(id, result) : this.#noise(line.length, 'invalid response')
    }
    if (id === undefined) return this.#notification(method, params, line.length)
    switch (method) {
      case 'ping':
        return this.#result(id, { ok: true })
      case 'initialize':
        return this.#initialize(id, params)
      case 'evaluate':
      case 'search':
      case 'hints':
      case 'perform':
        return this.#request(frame, line.length)
    }
    this.#refuse(id, 'unknown method: ' + method)
  }

  #result(id, result) {
    let frame = encode({ id, result })
    if (frame.length > MAX_FRAME + 1) frame = encode({ id, result: { ok: false, error: 'response exceeded outbound frame limit' } })
    return this.out.send(frame, true)
  }

  #refuse(id, error) {
    return this.#result(id, { ok: false, error })
  }

  #initialize(id, params) {
    if (this.#ready) return this.#refuse(id, 'initialize may only be called once')
    const version = Number.isInteger(params.protocol_version) ? params.protocol_version : 0
    if (version !== PROTOCOL_VERSION) {
      this.#result(id, {
        ok: false, protocol_version: PROTOCOL_VERSION,
        error: `protocol version mismatch: host v${version}, plugin v${PROTOCOL_VERSION}`,
      })
      return this.#end(0)
    }
    this.#ready = true
    this.#result(id, { ok: true, protocol_version: PROTOCOL_VERSION })
    if (this.#handlers.start) this.task(() => this.guarded('start', () => this.#handlers.start(this.host)))
  }

  #request(frame, size) {
    const { id, method } = frame
    const handler = this.#handlers[method]
    if (handler === undefined && method !== 'perform') return this.#refuse(id, 'unknown method: ' + method)
    let request
    try {
      request = new Request(frame, this.#stopping.signal)
    } catch {
      return this.#refuse(id, `invalid ${method} params`)
    }
    if (this.#requests >= REQUESTS || this.#requestBytes + size > REQUEST_BYTES) {
      request.end()
      return this.#refuse(id, 'plugin request capacity exceeded')
    }
    this.#requests++
    this.#requestBytes += size
    this.task(async () => {
      const result = await this.#answer(method, request)
      request.end()
      this.#requests--
      this.#requestBytes -= size
      let sent
      try {
        sent = this.#result(id, result)
      } catch { // a BigInt, or a circle
        this.complain(`the ${method} handler returned what is no JSON`)
        sent = this.#refuse(id, method + ' handler failed')
      }
      await sent
    })
  }

  async #answer(method, request) {
    if (this.#handlers[method] === undefined) return unhandled()
    const { value, late, failed: thrown } = await this.guarded(method, () => this.#handlers[method](this.host, request))
    if (late) return failed('deadline exceeded')
    const lists = { evaluate: 'answers', search: 'rows', hints: 'targets' }
    let result = value
    if (method === 'hints' && isObject(value)) result = { ok: true, targets: value.targets, context_pid: value.contextPID }
    else if (method in lists) result = { ok: true, [lists[method]]: value ?? [] }
    if (thrown) return failed(method + ' handler failed')
    if (!isObject(result) || (method in lists && !Array.isArray(result[lists[method]]))) {
      this.complain(`the ${method} handler returned no ${method in lists ? 'array' : 'outcome'}`)
      return failed(method + ' handler failed')
    }
    return result
  }

  // Events: wire order, one at a time; behind a full queue the newest of each kind.

  #notification(method, params, size) {
    const { name } = params
    const payload = params.payload ?? {}
    if (method !== 'event' || typeof name !== 'string' || name === '' || !isObject(payload)) {
      return this.#noise(size, method === 'event' ? 'invalid event' : 'unknown notification')
    }
    if (name.startsWith('core:poll:') && this.host._tick(name.slice('core:poll:'.length))) return
    if (this.#handlers.event === undefined) return
    const key = name === 'core:ax.changed' ? `${name} ${payload.pid} ${payload.notification}` : name
    const replaced = REPLACED.has(name)
    const event = { name, payload, key, size }
    if (replaced) {
      this.#slots.delete(key)
      const i = this.#events.findIndex((waiting) => waiting.key === key)
      if (i >= 0) this.#eventBytes -= this.#events.splice(i, 1)[0].size
      this.#promoteEvents()
    }
    if (this.#slots.size === 0 && this.#eventRoom(event)) {
      this.#events.push(event)
      this.#eventBytes += size
    } else if (replaced && this.#slots.size < EVENT_KEYS) {
      this.#slots.set(key, event)
    } else {
      this.#dropped++
    }
    if (!this.#handling) {
      this.#handling = true
      this.task(() => this.#handleEvents())
    }
  }

  #eventRoom(event) {
    return this.#events.length === 0 || (this.#events.length < EVENT_FRAMES && this.#eventBytes + event.size <= EVENT_BYTES)
  }

  #promoteEvents() {
    for (const [key, event] of this.#slots) {
      if (!this.#eventRoom(event)) return
      this.#slots.delete(key)
      this.#events.push(event)
      this.#eventBytes += event.size
    }
  }

  async #handleEvents() {
    while (this.#events.length > 0) {
      const { name, payload, size } = this.#events.shift()
      this.#eventBytes -= size
      this.#promoteEvents()
      if (this.#dropped > 0) this.complain(`dropped ${this.#dropped} events: the handler is behind`)
      this.#dropped = 0
      await this.guarded('event', () => this.#handlers.event(this.host, { name, payload }))
    }
    this.#handling = false
  }
}

/** An error by kind and place in the plugin's own code. A host's refusal is in the wire's words, which hold no content. */
function describe(error) {
  if (!(error instanceof Error)) return 'a thrown value'
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line))
  const own = places.find((line) => !/node:|flash_plugin\.mjs:/.test(line)) ?? places[0]
  const place = /([^()/\s][^()/]*:\d+):\d+\)?$/.exec(own ?? '')?.[1]
  return error.constructor.name + (error instanceof HostError ? ` (${error.message})` : '') + (place ? ' at ' + place : '')
}
