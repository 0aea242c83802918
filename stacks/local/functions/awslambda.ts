import { AsyncLocalStorage } from 'node:async_hooks'
import type { Writable } from 'node:stream'
import type { Context } from 'aws-lambda'
import type { ResponseHead } from './protocol.ts'
import { ResponseStream } from './response-stream.ts'

export type StreamingHandler = (
  event: unknown,
  response: Writable,
  context: Context,
) => Promise<unknown>
export type BufferedHandler = (event: unknown, context: Context) => unknown

const streaming = Symbol('streaming handler')

/** Returns true for a handler that was wrapped by `awslambda.streamifyResponse`. */
export function isStreaming(handler: object): handler is StreamingHandler {
  return streaming in handler
}

/** The trace header of each invocation. */
const traces = new AsyncLocalStorage<string | undefined>()

/** Runs an invocation. The AWS SDK finds its trace header in `awslambda.InvokeStore` and sends it with each request. */
export function runTraced<T>(trace: string | undefined, run: () => T): T {
  return traces.run(trace, run)
}

/** Defines the `awslambda` global, as Lambda's own runtime does. */
export function installAwslambda(): void {
  Object.assign(globalThis, {
    awslambda: {
      InvokeStore: { getXRayTraceId: () => traces.getStore() },
      streamifyResponse(handler: StreamingHandler): StreamingHandler {
        return Object.assign(handler, { [streaming]: true })
      },
      HttpResponseStream: {
        from(response: Writable, head: ResponseHead): Writable {
          if (!(response instanceof ResponseStream))
            throw new TypeError(
              'HttpResponseStream.from takes the stream that the handler was given',
            )
          response.setHead(head)
          return response
        },
      },
    },
  })
}
