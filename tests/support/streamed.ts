import type { ServerResponse } from 'node:http'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { beforeEach } from 'vitest'
import { hello, useGateway } from './gateway.ts'
import { ownTimeouts, passTime } from './time.ts'

export const model = 'openai/gpt-4o'

/** A hundredth of the gateway's timeout. */
export const stepMs = 10

export const silence = (response: ServerResponse) => passTime(() => !response.destroyed, stepMs)

/** A gateway whose streams a test reads, with a user of its own for each test. */
export function useStreams() {
  // A queue client's waits would go by the test's own clock.
  const settlements = { send: () => Promise.resolve(), sendAll: () => Promise.resolve() }
  const on = useGateway({ timeoutMs: 1000, settlements })
  let users = 0
  const caller = { user: '' }
  beforeEach(() => {
    ownTimeouts()
    caller.user = `usr_stream${users++}`
  })
  const stream = (signal?: AbortSignal) =>
    on.gateway.chat(
      { ...hello, model, stream: true, stream_options: { include_usage: true } },
      { headers: { 'x-user-id': caller.user }, ...(signal && { signal }) },
    )
  return { on, caller, stream }
}

/** The events of a response, and how many reads they came in. */
export async function readStream(response: Response) {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  let reads = 0
  for await (const chunk of response.body ?? []) {
    reads++
    parser.feed(Buffer.from(chunk as Uint8Array).toString())
  }
  return { events, reads }
}

export const textOf = (events: EventSourceMessage[]) =>
  events
    .filter(({ data, event }) => data !== '[DONE]' && event !== 'error')
    .map(({ data }) => JSON.parse(data).choices[0]?.delta.content ?? '')
    .join('')
