const encoder = new TextEncoder()

export interface ServerSentEvent {
  /** Where a client that comes back goes on. */
  id?: string | undefined
  event?: string | undefined
  /** Sent as JSON. */
  data: unknown
}

/** What a source writes by. After the end, or once the reader has gone, nothing is written any more. */
export interface EventWriter {
  /** Sends events, together in one chunk. */
  send(...events: readonly ServerSentEvent[]): void
  /** Sends a comment: proxies on the way see that the connection is alive. */
  keepAlive(): void
  /** Sends text as it is, in the format of event streams. */
  write(text: string): void
  end(): void
}

export interface EventSource {
  start?(out: EventWriter): void
  /** Called whenever the reader takes more than there is, one call at a time. What it throws breaks the stream off. */
  pull(out: EventWriter): Promise<void>
  /** Called once the reader has gone. */
  cancel(): Promise<void>
}

/** For streams through proxies that would collect or change them. */
export const unbuffered = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Answers with server-sent events as the reader takes them: nothing is asked of the source ahead. */
export function respondWithEvents(
  source: EventSource,
  headers: Record<string, string> = unbuffered,
): Response {
  let controller: ReadableStreamDefaultController<Uint8Array>
  let open = true
  const out: EventWriter = {
    send: (...events) => out.write(events.map(textOf).join('')),
    keepAlive: () => out.write(': still here\n\n'),
    write(text) {
      if (open) controller.enqueue(encoder.encode(text))
    },
    end() {
      if (open) controller.close()
      open = false
    },
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
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

function textOf({ id, event, data }: ServerSentEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  const eventLine = event === undefined ? '' : `event: ${event}\n`
  return `${idLine}${eventLine}data: ${JSON.stringify(data)}\n\n`
}
