import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type BufferedHandler, installAwslambda, isStreaming } from './awslambda.ts'
import { invocationContext } from './context.ts'
import { report } from './errors.ts'
import type { FromRuntime, RuntimeSpec, ToRuntime } from './protocol.ts'
import { ResponseStream } from './response-stream.ts'

export interface Runtime {
  receive(message: ToRuntime): void
}

/**
 * Loads a bundle and runs its handler, any number of invocations side by side.
 * @throws what the bundle throws while it is loaded
 */
export function createRuntime(spec: RuntimeSpec, send: (message: FromRuntime) => void): Runtime {
  installAwslambda()
  const { handler } = createRequire(spec.bundle)(spec.bundle) as { handler?: unknown }
  if (typeof handler !== 'function') throw new TypeError(`${spec.bundle} exports no handler`)
  if (isStreaming(handler) && !spec.streaming)
    throw new TypeError(`${spec.name} streams its answer, but the manifest does not say so`)
  const open = new Map<number, ResponseStream>()

  async function stream(
    id: number,
    run: (response: ResponseStream) => Promise<unknown>,
  ): Promise<void> {
    const response = new ResponseStream({
      head: (head, alone) => send({ kind: 'head', id, head, alone }),
      chunk: (bytes) => send({ kind: 'chunk', id, bytes }),
    })
    open.set(id, response)
    try {
      await run(response)
      if (!response.closed) await once(response, 'close')
    } finally {
      open.delete(id)
    }
    send({ kind: 'end', id })
  }

  async function invoke(message: Extract<ToRuntime, { kind: 'invoke' }>): Promise<void> {
    const { id } = message
    try {
      const event: unknown = JSON.parse(message.event)
      const context = invocationContext(spec, message.requestId, message.deadline)
      if (isStreaming(handler as object)) {
        const streamed = handler as Parameters<typeof isStreaming>[0] & CallableFunction
        await stream(id, (response) => streamed(event, response, context) as Promise<unknown>)
        return
      }
      const result = await (handler as BufferedHandler)(event, context)
      send({ kind: 'result', id, payload: JSON.stringify(result) ?? 'null' })
    } catch (error) {
      send({ kind: 'failure', id, error: report(error) })
    }
  }

  return {
    receive(message) {
      if (message.kind === 'invoke') void invoke(message)
      else if (message.kind === 'taken') open.get(message.id)?.taken(message.bytes)
      else open.get(message.id)?.destroy()
    },
  }
}
