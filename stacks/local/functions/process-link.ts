import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Link, type LinkOptions, readLines } from './link.ts'
import type { FromRuntime } from './protocol.ts'

/**
 * Runs a function in its own process, for functions whose memory must be isolated: threads share one process, and a
 * core dump of it contains everything. The process ends with the stack, no matter how the stack ends, because their
 * channel closes.
 */
export function openProcess(options: LinkOptions): Link {
  const { spec, cacheDir } = options
  const child = fork(options.program, [JSON.stringify({ spec, cacheDir })], {
    // The environment is sent over the channel: other processes of this user, such as agents, can read the one at
    // start.
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
    // If the process has exited, `onExit` fails this message with all other pending work.
    send: (message) => void (child.connected && child.send(message, () => {})),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
