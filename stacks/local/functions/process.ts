/** The process that one function runs in; its environment is the function's own, and comes as its first message. */
import { enableCompileCache } from 'node:module'
import { report } from './errors.ts'
import type { FromRuntime, RuntimeSpec, ToRuntime } from './protocol.ts'
import { createRuntime } from './runtime.ts'

const { spec, cacheDir } = JSON.parse(process.argv[2] ?? '') as {
  spec: RuntimeSpec
  cacheDir: string
}

// Ctrl-C in a terminal reaches this process too; the stack ends it once what is under way is done.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// However the stack ends, by kill -9 too.
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
