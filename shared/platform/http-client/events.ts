import { createParser, type EventSourceMessage } from 'eventsource-parser'

/**
 * Yields the server-sent events of a response body, each as soon as it is complete.
 * @param options `maxEventBytes` limits one event; `tooLong` creates the error for a longer event; `silent` is called
 * for bytes that do not complete an event, such as comments
 */
export async function* serverSentEvents(
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  {
    maxEventBytes,
    tooLong,
    silent,
  }: { maxEventBytes: number; tooLong: () => Error; silent?: (() => void) | undefined },
): AsyncGenerator<EventSourceMessage> {
  const ready: EventSourceMessage[] = []
  let pending = 0
  const parser = createParser({
    onEvent: (event) => {
      pending = 0
      ready.push(event)
    },
  })
  // A packet may end within a character.
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    pending += chunk.length
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (ready.length === 0) silent?.()
    yield* ready.splice(0)
    if (pending > maxEventBytes) throw tooLong()
  }
}

/** Returns whether the data of an event is the keep-alive of a proxy: text that is too short and plain to be JSON. */
export function isHeartbeat(data: string): boolean {
  return /^[^"{}[\]]{0,64}$/.test(data)
}
