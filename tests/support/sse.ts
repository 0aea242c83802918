import { createParser } from 'eventsource-parser'

export interface SseEvent {
  /** What a client that comes back says as Last-Event-ID. */
  id?: string
  event: string | undefined
  data: Record<string, unknown>
}

/** Reads server-sent events as they come. */
export async function* readEvents(response: Response): AsyncGenerator<SseEvent> {
  const arrived: SseEvent[] = []
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      arrived.push({ ...(id !== undefined && { id }), event, data: JSON.parse(data) }),
  })
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* arrived.splice(0)
  }
}

/** Every event of a stream that ends. */
export async function allEvents(response: Response): Promise<SseEvent[]> {
  const events: SseEvent[] = []
  for await (const event of readEvents(response)) events.push(event)
  return events
}
