import { Plugin, answer, copyText, done, row, unhandled } from './flash_plugin.mjs'

const plugin = new Plugin({
  start(host) {
    const names = host.config.strings('names', ['@ID@'])
    host.publish(names.map((name) => row('@ID@.items', `Hello from ${name}`, { effect: copyText(`Hello from ${name}`) })))
  },

  // "@ID@ TEXT" answers the text with its greeting.
  evaluate(host, { query }) {
    const prefix = '@ID@ '
    const text = query.slice(prefix.length)
    if (!query.startsWith(prefix) || text === '') return []
    return [answer(`Hello ${text}`, { subtitle: 'Copy the greeting' })]
  },

  perform(host, request) {
    if (request.kind === 'command' && request.command === '@ID@' && request.subcommand === 'say') {
      return done(`Hello ${request.args.join(' ')}`)
    }
    return unhandled()
  },
})

plugin.run()
