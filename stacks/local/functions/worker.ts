/** The thread of one function, with the function's own environment. */
import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { report } from './errors.ts'
import { sendOutput } from './output.ts'
import type { FromRuntime, RuntimeSpec, ToRuntime } from './protocol.ts'
import { createRuntime } from './runtime.ts'

if (parentPort === null) throw new Error('this file runs as a worker thread')
const port = parentPort
const { spec, cacheDir } = workerData as { spec: RuntimeSpec; cacheDir: string }

function send(message: FromRuntime): void {
  if (message.kind !== 'chunk') {
    port.postMessage(message)
    return
  }
  // A Buffer is often a small view of a large pool; the clone would copy the whole pool.
  const bytes = new Uint8Array(message.bytes)
  port.postMessage({ ...message, bytes }, [bytes.buffer])
}

sendOutput((message) => port.postMessage(message))
enableCompileCache(cacheDir)
try {
  const runtime = createRuntime(spec, send)
  port.on('message', (message: ToRuntime) => runtime.receive(message))
} catch (error) {
  send({ kind: 'unloadable', error: report(error) })
}
