import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { cutsAfter } from '../support/ai/played.ts'
import type { Turn } from '../support/ai/turn.ts'

const model = 'anthropic/claude-sonnet-4.5'

const hello: Anthropic.MessageCreateParamsNonStreaming = {
  model,
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello' }],
}

const turn: Turn = {
  thinking: 'Hm.',
  text: 'Hi there.',
  calls: [{ id: 'call_1', name: 'get', input: { place: 'Oslo' } }],
}

/** Each of the events before the stop reason, by its number. */
const cuts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]

/** Asks with a stream, and returns the names of its events and the error of the end. */
async function streamed(anthropic: Anthropic) {
  const names: string[] = []
  const stream = anthropic.messages.stream(hello)
  stream.on('streamEvent', ({ type }) => names.push(type))
  const message = await stream.finalMessage().catch((error: unknown) => error)
  return { names, message }
}

describe.each([
  ['chat completions', 'chat'],
  ['Messages', 'chat,messages'],
])('Messages over a provider of %s', (_, AI_SPEAKS) => {
  const on = useAiFunction({ AI_SPEAKS })

  it.each(cuts)('report a stream that is cut after event %i', async (count) => {
    on.upstream.serve(model, cutsAfter(turn, count))
    const { names, message } = await streamed(on.caller.anthropic)
    const events = await on.caller.events()
    if (message instanceof Anthropic.APIError) {
      // Either an error before the first content, or an event after it.
      expect(message.error).toMatchObject({ type: 'error', error: { type: 'api_error' } })
      expect(names).not.toContain('message_stop')
      expect(events.map(({ success }) => success)).toEqual(names.length === 0 ? [] : [false])
    } else {
      expect(message).toMatchObject({ stop_reason: 'tool_use', content: [{}, {}, {}] })
      expect(names.at(-1)).toBe('message_stop')
      expect(events).toMatchObject([{ success: true }])
    }
  })
})
