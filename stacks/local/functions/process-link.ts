import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Link, type LinkOptions, readLines } from './link.ts'
import type { FromRuntime } from './protocol.ts'

/**
 * A process of its own, for a function whose memory no other function's process may hold: a thread shares one, and a
 * core dump of it has everything. It ends with the stack however that ends, as the system then closes their channel.
 */
export function openProcess(options: LinkOptions): Link {
  const { spec, cacheDir } = options
  const child = fork(options.program, [JSON.stringify({ spec, cacheDir })], {
    // By its channel: other processes of this user, such as agents, can read what one was started with.
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let gone: string | undefined
  const exit = (why: string) => {
    if (gone !== undefined) return
    gone = why
    options.onExit(why)
  }
  child.send(options.environment)
  child.on('message', (message) => options.onMessage(message as FromRuntime))
  child.on('error', (error) => exit(`${error.name}: ${error.message}`))
  child.on('exit', (code, signal) => exit(`exited with ${signal ?? `code ${code}`}`))
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) readLines(stream, options.onLine)
  return {
    // What did not reach it is failed by its exit, with everything else that is under way there.
    send: (message) => void (child.connected && child.send(message, () => {})),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
