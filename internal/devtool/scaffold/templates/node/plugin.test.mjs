// Plays the host to the plugin. Run: node --test
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

async function start() {
  const child = spawn(process.execPath, ['plugin.mjs'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, FLASH_PLUGIN_CONFIG: '{"names":["Ada"]}' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async () => JSON.parse((await lines.next()).value)
  const call = async (id, method, params) => {
    child.stdin.write(JSON.stringify({ id, method, params }) + '\n')
    for (;;) {
      const frame = await read()
      if (frame.id === id) return frame.result
    }
  }
  const end = async () => {
    child.stdin.end()
    assert.equal(await new Promise((resolve) => child.on('exit', resolve)), 0)
  }
  assert.equal((await call(1, 'initialize', { protocol_version: 1 })).ok, true)
  return { read, call, end }
}

test('it publishes its rows, answers, and has a command', async () => {
  const { read, call, end } = await start()
  assert.deepEqual((await read()).params.rows.map((r) => r.title), ['Hello from Ada'])
  const typed = await call(2, 'evaluate', { query: '@ID@ you', scope: '', surface: 'flashlight' })
  assert.deepEqual(typed.answers.map((a) => a.title), ['Hello you'])
  const said = await call(3, 'perform', { kind: 'command', command: '@ID@', subcommand: 'say', args: ['there'], raw: '' })
  assert.deepEqual(said, { ok: true, message: 'Hello there' })
  await end()
})
