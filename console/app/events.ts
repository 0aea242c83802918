import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** The events of a response, one by one. */
export async function* eventsOf(response: Response): AsyncGenerator<EventSourceMessage, void> {
  if (response.body === null) return
  const waiting: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => void waiting.push(event) })
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(bytes)
    yield* waiting.splice(0)
  }
}
