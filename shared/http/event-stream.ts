const encoder = new TextEncoder()

export interface ServerSentEvent {
  /** The position for a client that resumes the stream. */
  id?: string | undefined
  event?: string | undefined
  /** Sent as JSON. */
  data: unknown
  /** Sent instead of `data`: JSON that is sent unchanged. */
  text?: string | undefined
}

/** Receives the events of a source. Writes after the end, or after the reader has disconnected, are ignored. */
export interface EventWriter {
  /** Sends events, together in one chunk. */
  send(...events: readonly ServerSentEvent[]): void
  /** Sends a comment, so that proxies do not close the idle connection. */
  keepAlive(): void
  /** Sends text unchanged; it must have the format of event streams. */
  write(text: string): void
  /** Sends bytes unchanged, in a response that is not an event stream. */
  writeBytes(bytes: Uint8Array): void
  end(): void
  /** Aborts the response. */
  fail(error: unknown): void
}

export interface EventSource {
  start?(out: EventWriter): void
  /** Called when the reader needs more than the buffered data, one call at a time. An error aborts the stream. */
  pull(out: EventWriter): Promise<void>
  /** Called once the reader has disconnected. */
  cancel(): Promise<void>
}

/** Headers for streams, so that proxies neither buffer nor change them. */
export const unbuffered = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Responds with server-sent events at the reader's pace: the source is called only when the reader needs data. */
export function respondWithEvents(
  source: EventSource,
  headers: Record<string, string> = unbuffered,
): Response {
  let controller: ReadableStreamDefaultController<Uint8Array>
  let open = true
  const out: EventWriter = {
    send: (...events) => out.write(events.map(textOf).join('')),
    keepAlive: () => out.write(': still here\n\n'),
    write: (text) => out.writeBytes(encoder.encode(text)),
    writeBytes(bytes) {
      if (open) controller.enqueue(bytes)
    },
    end() {
      if (open) controller.close()
      open = false
    },
    fail(error) {
      if (open) controller.error(error)
      open = false
    },
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(streamController) {
        controller = streamController
        source.start?.(out)
      },
      pull: () => source.pull(out),
      cancel() {
        open = false
        return source.cancel()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}

function textOf({ id, event, data, text }: ServerSentEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  const eventLine = event === undefined ? '' : `event: ${event}\n`
  const json = text?.replaceAll('\n', '\ndata: ') ?? JSON.stringify(data)
  return `${idLine}${eventLine}data: ${json}\n\n`
}
