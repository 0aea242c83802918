/** The process of one function. It starts without an environment and gets the function's own as its first message. */
import { enableCompileCache } from 'node:module'
import { report } from './errors.ts'
import type { FromRuntime, RuntimeSpec, ToRuntime } from './protocol.ts'
import { createRuntime } from './runtime.ts'

const { spec, cacheDir } = JSON.parse(process.argv[2] ?? '') as {
  spec: RuntimeSpec
  cacheDir: string
}

// Ctrl-C in a terminal reaches this process too. The stack ends it after its invocations are done.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// The channel closes no matter how the stack ends, even by kill -9.
process.on('disconnect', () => process.exit())

function send(message: FromRuntime): void {
  process.send?.(message)
}

enableCompileCache(cacheDir)
process.once('message', (environment) => {
  Object.assign(process.env, environment)
  try {
    const runtime = createRuntime(spec, send)
    process.on('message', (message) => runtime.receive(message as ToRuntime))
  } catch (error) {
    send({ kind: 'unloadable', error: report(error) })
  }
})
