#!/usr/bin/env node
// The conformance probe on the Node SDK, as sdk/probe is on the Go one.

import process from 'node:process'
import { HostError, Plugin, answer, done, failed, openURL, row, unhandled } from './flash_plugin.mjs'

const SOURCE = 'conformance.items'
const TARGET_PID = 4242
const EXIT_DELAY_MS = 250
const EVENTS_QUIET_MS = 20, EVENTS_WAIT_MS = 500

const seen = []
let latest = 0

const basicRows = () => [
  row(SOURCE, 'alpha', { metadata: { k: 'v1' } }),
  row(SOURCE, 'béta ⚡ 名前'),
  row(SOURCE, 'gamma', { url: 'https://example.com/g', effect: openURL('https://example.com/g') }),
]

function catalogue(config) {
  const nested = config.table('conformance')
  if (config.bool('empty_catalog', nested.bool('empty_catalog'))) return []
  const count = config.int('catalog_rows', nested.int('catalog_rows', -1))
  if (count < 0) return basicRows()
  const pad = config.int('row_pad', nested.int('row_pad'))
  const metadata = pad > 0 ? { pad: 'x'.repeat(pad) } : undefined
  return Array.from({ length: count }, (_, i) => row(SOURCE, `row ${i}`, { metadata }))
}

/** Lists the events seen, once none came for a moment: they have a queue of their own. */
async function state(request) {
  const began = performance.now()
  for (;;) {
    const left = Math.min(Math.max(latest, began) + EVENTS_QUIET_MS, began + EVENTS_WAIT_MS) - performance.now()
    if (left <= 0 || !await request.wait(left)) return JSON.stringify(seen)
  }
}

async function word(host, request) {
  const args = request.args
  const text = (i, otherwise) => args[i] ?? otherwise
  const rest = (i, otherwise) => (i < args.length ? args.slice(i).join(' ') : otherwise)
  const number = (i, otherwise) => (/^-?\d+$/.test(args[i] ?? '') ? Number(args[i]) : otherwise)
  switch (request.subcommand) {
    case 'echo': return done(JSON.stringify(args) + ' ' + request.raw)
    case 'env-has': return done(text(0, '') in process.env ? 'present' : 'absent')
    case 'env': return done(process.env[text(0, '')] ?? '')
    case 'config': return done(JSON.stringify(host.config.values))
    case 'state': return done(await state(request))
    case 'target-pid': return done(undefined, { targetPID: TARGET_PID })
    case 'toast': return done(rest(0, 'conformance toast'))
    case 'publish-extra':
      host.publish([...basicRows(), row(SOURCE, 'extra')])
      return done('published')
    case 'sleep': return await request.wait(number(0, 0)) ? done('slept') : failed('the sleep was cut short')
    case 'crash': return process.exit(number(0, 1))
    case 'exit-after-reply':
      setTimeout(() => process.exit(number(0, 0)), EXIT_DELAY_MS)
      return done('exiting')
    case 'stderr':
      for (let i = number(0, 1); i > 0; i--) await new Promise((resolve) => process.stderr.write('x'.repeat(1024), resolve))
      return done('written')
    case 'log':
      host.log(text(0, 'info'), rest(1, ''))
      return done('logged')
    case 'status':
      host.status({ [text(0, 'state')]: rest(1, '') })
      return done('sent')
  }
  const calls = {
    'ping': ['host.ping', {}],
    'fetch': ['host.fetch', { url: text(0, 'https://example.com/') }],
    'open': ['host.open', { url: text(0, 'https://example.com/') }],
    'clipboard': ['host.clipboard_write', { text: rest(0, 'conformance') }],
    'notify': ['host.notify', { message: rest(0, 'conformance') }],
    'storage-set': ['host.storage_set', { key: text(0, 'key'), value: rest(1, null) }],
    'storage-get': ['host.storage_get', { key: text(0, 'key') }],
    'media': ['host.post_media_key', { key_code: number(0, 16) }],
    'ps': ['host.process_table', {}],
    'signal': ['host.signal', { pid: number(0, TARGET_PID) }],
    'activate': ['host.activate', { pid: number(0, TARGET_PID) }],
    'normal-mode-target': ['host.normal_mode_target', {}],
    'keys': ['host.post_keys', { pid: TARGET_PID, keys: [{ key_code: 0, modifiers: [] }] }],
    'global-key': ['host.post_global_key', { key_code: 0, modifiers: ['command'] }],
    'ax-snapshot': ['host.ax_snapshot', { pid: TARGET_PID, roots: 'app', follow: ['AXChildren'], collect: ['AXRole', 'AXTitle'], prune_roles: [] }],
  }
  if (!Object.hasOwn(calls, request.subcommand)) return failed('unsupported subcommand: ' + request.subcommand)
  const [method, params] = calls[request.subcommand]
  try {
    return done(JSON.stringify(await host.call(method, params, method === 'host.fetch' ? 9000 : 5000)))
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    return done(error.result === undefined ? error.message : JSON.stringify(error.result))
  }
}

new Plugin({
  start(host) {
    if (!host.config.bool('skip_publish', host.config.table('conformance').bool('skip_publish'))) host.publish(catalogue(host.config))
  },
  event(host, event) {
    latest = performance.now()
    if (!seen.includes(event.name) && seen.length < 256) seen.push(event.name)
  },
  evaluate(host, { query }) {
    if (query === 'conf:one') return [answer('one', { subtitle: 's' })]
    if (query === 'conf:unicode') return [answer('héllo ⚡ 世界')]
    if (query === 'conf:many') return Array.from({ length: 17 }, (_, i) => answer(`answer ${i + 1}`))
    return []
  },
  search(host, { query }) {
    return basicRows().filter((r) => r.title.toLowerCase().includes(query.toLowerCase()))
  },
  hints() {
    return [
      { id: 't1', frame: { x: -10.5, y: 20, width: 30, height: 40 }, role: 'AXLink', label: 'one' },
      { id: 't2', frame: { x: 0, y: 0, width: 10, height: 10 }, role: 'FlashTerminalLink', label: 'two' },
    ]
  },
  perform(host, request) {
    if (request.kind === 'command') return word(host, request)
    if (request.kind === 'action' && request.name === 'conf_performed') return done(undefined, { targetPID: TARGET_PID })
    if (request.kind === 'action' && request.name === 'conf_failed') return failed('conformance action failed')
    if (request.kind === 'resolve' && request.row.title === 'alpha') return done(undefined, { targetPID: TARGET_PID })
    if (request.kind === 'navigate' && request.url === 'conformance://ok') return done()
    return unhandled()
  },
  shutdown(host) {
    host.log('info', 'conformance shutdown')
  },
}).run()
