import { ConnectionError, PlatformError, TimeoutError } from './errors.ts'

export interface ServerSentEvent {
  id?: string | undefined
  event?: string | undefined
  data: string
}

/** The platform sends at least a keep-alive every 15 s. After this long without data, in milliseconds, the stream is dead. */
const silenceMs = 45_000

/** A stream of events for one reader. To end the request, leave the loop or abort the signal; the loop then ends. */
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

  /** Returns the events as newline-delimited JSON. */
  toReadableStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const events = this.#events
    const encoder = new TextEncoder()
    return new ReadableStream({
      async pull(out) {
        const { done, value } = await events.next()
        if (done) out.close()
        else out.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      },
      // This also ends the event iterator.
      cancel: () => this.controller.abort(),
    })
  }
}

/** @throws ConnectionError if the stream breaks or falls silent */
export async function* readEvents({ body }: Response): AsyncGenerator<ServerSentEvent, void> {
  if (body === null) return
  const eventsIn = parser()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await awaitChunk(reader.read())
      if (done) return
      yield* eventsIn(decoder.decode(value, { stream: true }))
    }
  } catch (cause) {
    throw cause instanceof PlatformError
      ? cause
      : new ConnectionError('The stream was interrupted', { cause })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Returns a function that takes text in chunks and returns the events that end in each (HTML standard, section 9.2.6).
 * The package for this would be a fifth of the code that a page loads; a test compares this parser with that package.
 */
function parser(): (piece: string) => ServerSentEvent[] {
  let rest = ''
  let next: Partial<ServerSentEvent> = {}
  return (piece) => {
    // A carriage return at the end of a chunk may be the first half of CRLF.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    const events: ServerSentEvent[] = []
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?([^]*)/.exec(line) ?? []
      if (field === 'data') next.data = next.data === undefined ? value : `${next.data}\n${value}`
      if (field === 'event') next.event = value || undefined
      if (field === 'id' && !value.includes('\0')) next.id = value
      if (line !== '') continue
      const { data, ...others } = next
      if (data !== undefined) events.push({ ...others, data })
      next = {}
    }
    return events
  }
}

async function awaitChunk<T>(next: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new TimeoutError(`The stream sent no data for ${silenceMs} ms`)),
      silenceMs,
    )
  })
  return Promise.race([next, silence]).finally(() => clearTimeout(timer))
}
