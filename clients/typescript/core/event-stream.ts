import { createParser } from 'eventsource-parser'
import { ConnectionError, PlatformError, TimeoutError } from './errors.ts'

export interface ServerSentEvent {
  id?: string | undefined
  event?: string | undefined
  data: string
}

/** The platform says at least every 15 s that a stream is alive; this long without a word, it is not. */
const silenceMs = 45_000

/** Events as they come, for one reader. Leaving the loop ends the request; so does an abort, and then the loop ends. */
export class EventStream<T> implements AsyncIterable<T> {
  readonly controller = new AbortController()
  readonly #events: AsyncGenerator<T, void>

  constructor(source: (signal: AbortSignal) => AsyncGenerator<T, void>, signal?: AbortSignal) {
    const { controller } = this
    const abort = () => controller.abort(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    this.#events = (async function* () {
      try {
        if (!controller.signal.aborted) yield* source(controller.signal)
      } catch (error) {
        if (!controller.signal.aborted) throw error
      } finally {
        signal?.removeEventListener('abort', abort)
        controller.abort()
      }
    })()
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void> {
    return this.#events
  }

  /** A line of JSON for each event. */
  toReadableStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const events = this.#events
    const encoder = new TextEncoder()
    return new ReadableStream({
      async pull(out) {
        const { done, value } = await events.next()
        if (done) out.close()
        else out.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      },
      // Ends the events too.
      cancel: () => this.controller.abort(),
    })
  }
}

/** @throws ConnectionError where the stream breaks off or falls silent */
export async function* readEvents({ body }: Response): AsyncGenerator<ServerSentEvent, void> {
  if (body === null) return
  const arrived: ServerSentEvent[] = []
  const parser = createParser({ onEvent: (event) => arrived.push(event) })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await spoken(reader.read())
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* arrived.splice(0)
    }
  } catch (cause) {
    throw cause instanceof PlatformError
      ? cause
      : new ConnectionError('The stream broke off', { cause })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function spoken<T>(next: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError('The stream fell silent')), silenceMs)
  })
  return Promise.race([next, silence]).finally(() => clearTimeout(timer))
}
