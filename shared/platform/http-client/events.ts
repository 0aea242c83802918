import { createParser, type EventSourceMessage } from 'eventsource-parser'

/**
 * The server-sent events of an answer's body, each as soon as it is whole.
 * @param options `maxEventBytes` of one event, and what is thrown for an event without an end
 */
export async function* serverSentEvents(
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  { maxEventBytes, tooLong }: { maxEventBytes: number; tooLong: () => Error },
): AsyncGenerator<EventSourceMessage> {
  const ready: EventSourceMessage[] = []
  let pending = 0
  const parser = createParser({
    onEvent: (event) => {
      pending = 0
      ready.push(event)
    },
  })
  // A character may be cut in two by a packet's end.
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    pending += chunk.length
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* ready.splice(0)
    if (pending > maxEventBytes) throw tooLong()
  }
}
