import { describe, expect, it } from 'vitest'
import { eventsOf, hello, useGateway } from '#tests/support/ai/gateway.ts'
import { model, readStream } from '#tests/support/ai/streams.ts'
import { type Behaviour, delta, says, sendJson, usage } from '#tests/support/ai/upstream.ts'

const sibling = 'openai/gpt-4o-mini'
const on = useGateway()

let users = 0
async function ask(stream: boolean) {
  const user = `usr_hostile${users++}`
  const response = await on.gateway.chat(
    { ...hello, model, stream },
    { headers: { 'x-user-id': user } },
  )
  return { response, user }
}

const call = (n: number) => ({
  index: n,
  id: `call_${n}`,
  type: 'function',
  function: { name: 'look', arguments: '{}' },
})
const calls = (count: number) => Array.from({ length: count }, (_, n) => call(n))

const whole =
  (choices: object[]): Behaviour =>
  (response) =>
    sendJson(response, 200, { choices, usage: usage(1, 1) })

/** All events in one packet, so that they are read without a break. */
const streamed =
  (events: object[]): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      [...events.map((event) => JSON.stringify(event)), '[DONE]']
        .map((data) => `data: ${data}\n\n`)
        .join(''),
    )
  }

const choice = (index: number, tool_calls?: object[]) => ({
  index,
  message: { role: 'assistant', content: 'x', ...(tool_calls && { tool_calls }) },
  finish_reason: 'stop',
})
const choices = (count: number) => Array.from({ length: count }, (_, index) => choice(index))

describe('an answer of a model', () => {
  it.each<[string, boolean, Behaviour]>([
    ['1,025 tool calls', false, whole([choice(0, calls(1025))])],
    ['1,025 tool calls in one chunk', true, streamed([delta({ tool_calls: calls(1025) })])],
    ['20,000 tool calls in one chunk', true, streamed([delta({ tool_calls: calls(20_000) })])],
    [
      '1,025 tool calls in an unrequested stream',
      false,
      streamed(calls(1025).map((one) => delta({ tool_calls: [one] }))),
    ],
    ['129 choices', false, whole(choices(129))],
    ['129 choices in one chunk', true, streamed([{ choices: choices(129) }])],
  ])(
    'an answer of a model with %s fails, and the next model is asked, stream: %s',
    async (_, stream, behaviour) => {
      on.upstream.serve(model, behaviour)
      on.upstream.serve(sibling, says('instead', usage(2, 2)))
      const { response, user } = await ask(stream)
      expect(await response.text()).toContain(`"model":"${sibling}"`)
      expect(await eventsOf(on.table, user)).toMatchObject([{ model: sibling, success: true }])
    },
  )

  it('an answer of a model with too many tool calls in the middle of a stream ends with an error', async () => {
    on.upstream.serve(model, streamed(calls(1025).map((one) => delta({ tool_calls: [one] }))))
    const { response } = await ask(true)
    const { events } = await readStream(response)
    expect(events.at(-1)).toMatchObject({ event: 'error' })
    expect(JSON.parse(events.at(-1)?.data ?? '').error).toMatchObject({
      message: expect.stringContaining('more than 1024 tool calls'),
      code: 'AI_INTERRUPTED',
    })
  })

  it.each([true, false])('may have 1,024 tool calls, stream: %s', async (stream) => {
    const parts = calls(1024).map((one) => delta({ tool_calls: [one] }))
    on.upstream.serve(model, streamed([...parts, delta({}, 'tool_calls')]))
    const { response } = await ask(stream)
    const text = await response.text()
    expect(text).not.toContain('error')
    expect(text.split('"name":"look"')).toHaveLength(1025)
  })
})
