import type { ServerResponse } from 'node:http'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { beforeEach } from 'vitest'
import { ownTimeouts, passTime } from '../clock/time.ts'
import { hello, useGateway } from './gateway.ts'

export const model = 'openai/gpt-4o'

/** A hundredth of the gateway's timeout. */
export const stepMs = 10

export const silence = (response: ServerResponse) => passTime(() => !response.destroyed, stepMs)

/** Provides a gateway whose streams a test reads, with a new user for each test. */
export function useStreams() {
  // No queue client: its waits would run on the test's fake clock.
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

/** Returns the events of a response, and the number of reads. */
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
