import { createParser } from 'eventsource-parser'
import { UpstreamFailure } from './failure.ts'

/** More than any model says in one event. */
const maxEventBytes = 4 * 1_048_576

/** What OpenAI's streams end with. */
export const done = '[DONE]'

/** The data of a stream's events, each as soon as it is whole. @throws UpstreamFailure for what is no such stream */
export async function* serverSentEvents(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const ready: string[] = []
  let pending = 0
  const parser = createParser({
    onEvent: ({ data }) => {
      pending = 0
      ready.push(data)
    },
  })
  // A character may be cut in two by a packet's end.
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    pending += chunk.length
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* ready.splice(0)
    if (pending > maxEventBytes) throw new UpstreamFailure('an event of the stream has no end')
  }
}
