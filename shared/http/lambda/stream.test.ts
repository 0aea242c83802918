import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { streamHandler } from './stream.ts'

/** A REST API's event for a GET. */
const event = {
  httpMethod: 'GET',
  path: '/',
  headers: {},
  multiValueHeaders: { host: ['h'] },
  requestContext: { path: '/', identity: {} },
}

type Handler = (event: object, response: Writable, context: object) => Promise<void>

it.each([
  ['null', null],
  ['an empty stream', new ReadableStream({ start: (controller) => controller.close() })],
])('an answer whose body is %s has its status and headers', async (_, body) => {
  const sent: unknown[] = []
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: unknown) => handler,
    // This behaves like Lambda: a stream without a write sends no status and headers.
    HttpResponseStream: {
      from: (_response: Writable, head: object) =>
        new Writable({
          write(_chunk, _encoding, done) {
            sent.push(head)
            done()
          },
        }),
    },
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const fetch = () => new Response(body, { status: 201, headers: { location: '/1' } })
  await (streamHandler({ fetch }) as Handler)(event, new Writable(), {})
  expect(sent).toEqual([{ statusCode: 201, headers: { location: '/1' }, cookies: [] }])
})

it('a response to a slow reader leaves no listener behind', async () => {
  const warnings: Error[] = []
  const hear = (warning: Error) => {
    if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning)
  }
  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: { from: (response: Writable) => response },
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  let received = 0
  const reader = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, done) {
      received += chunk.length
      setImmediate(done)
    },
  })
  let left = 500
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(64))
      else controller.close()
    },
  })
  let signal: AbortSignal | undefined
  const handler = streamHandler({
    fetch: (request) => {
      signal = request.signal
      return new Response(body)
    },
  }) as Handler
  await handler(event, reader, {})
  expect(received).toBe(500 * 64)
  expect(signal?.aborted).toBe(false)
  expect(reader.listenerCount('drain')).toBe(0)
  await turn()
  expect(warnings).toEqual([])
})
