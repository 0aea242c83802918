import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { type BufferedHandler, installAwslambda, isStreaming, runTraced } from './awslambda.ts'
import { invocationContext } from './context.ts'
import { installDatabase } from './database.ts'
import { report } from './errors.ts'
import type { FromRuntime, RuntimeSpec, ToRuntime } from './protocol.ts'
import { ResponseStream } from './response-stream.ts'

export interface Runtime {
  receive(message: ToRuntime): void
}

/**
 * Loads a bundle and runs its handler, with any number of concurrent invocations.
 * @throws any error that the bundle throws while it loads
 */
export function createRuntime(spec: RuntimeSpec, send: (message: FromRuntime) => void): Runtime {
  installAwslambda()
  const questions = spec.database ? installDatabase(send) : undefined
  const { handler } = createRequire(spec.bundle)(spec.bundle) as { handler?: unknown }
  if (typeof handler !== 'function') throw new TypeError(`${spec.bundle} exports no handler`)
  if (isStreaming(handler) && !spec.streaming)
    throw new TypeError(`${spec.name} streams its answer, but the manifest does not say so`)
  const open = new Map<number, ResponseStream>()
  const uploads = new Map<number, Readable>()

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
      const context = Object.assign(
        invocationContext(spec, message.requestId, message.deadline),
        message.upload && { upload: uploadOf(id, message.upload) },
      )
      if (isStreaming(handler as object)) {
        const streamed = handler as Parameters<typeof isStreaming>[0] & CallableFunction
        await stream(id, (response) => streamed(event, response, context) as Promise<unknown>)
        return
      }
      const result = await (handler as BufferedHandler)(event, context)
      send({ kind: 'result', id, payload: JSON.stringify(result) ?? 'null' })
    } catch (error) {
      send({ kind: 'failure', id, error: report(error) })
    } finally {
      uploads.get(id)?.destroy()
      uploads.delete(id)
    }
  }

  function uploadOf(id: number, { target, hasBody }: { target: string; hasBody: boolean }) {
    if (!hasBody) return { target, body: null }
    const body = new Readable({ read: () => send({ kind: 'more', id }) })
    // Without a listener, an upload that breaks while the handler does not read it would crash the process.
    body.on('error', () => {})
    uploads.set(id, body)
    return { target, body }
  }

  return {
    receive(message) {
      const { id } = message
      switch (message.kind) {
        case 'invoke':
          void runTraced(message.trace, () => invoke(message))
          break
        case 'taken':
          open.get(id)?.taken(message.bytes)
          break
        case 'part':
          uploads.get(id)?.push(message.bytes)
          break
        case 'uploaded':
          if (message.whole) uploads.get(id)?.push(null)
          else uploads.get(id)?.destroy(new Error('the request was interrupted'))
          break
        case 'gone':
          open.get(id)?.destroy()
          break
        case 'answer':
          questions?.(id, message.answer)
      }
    },
  }
}
