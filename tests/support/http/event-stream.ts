import { createParser } from 'eventsource-parser'

export interface SseEvent {
  /** The client sends it as Last-Event-ID when it reconnects. */
  id?: string
  event: string | undefined
  data: Record<string, unknown>
}

/** Reads server-sent events as they arrive. */
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

/** Returns every event of a stream, once it has ended. */
export async function allEvents(response: Response): Promise<SseEvent[]> {
  const events: SseEvent[] = []
  for await (const event of readEvents(response)) events.push(event)
  return events
}
