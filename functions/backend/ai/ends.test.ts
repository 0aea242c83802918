import { describe, expect, it } from 'vitest'
import { hello, useGateway } from '#tests/support/ai/gateway.ts'
import { model, readStream } from '#tests/support/ai/streams.ts'
import { delta, says, sendJson, sendStream, usage } from '#tests/support/ai/upstream.ts'

const on = useGateway()

interface Ended {
  finish_reason: string
  message: { content: string | null; tool_calls?: object[]; function_call?: object }
}

/** Returns the first choice of an answer, whole and streamed. A stream is one chunk and its end. */
async function ended(fields: object, finish: string): Promise<Ended[]> {
  const end = { index: 0, finish_reason: finish }
  on.upstream.serve(model, (response, { body }) => {
    if (body.stream !== true)
      return sendJson(response, 200, {
        choices: [{ ...end, message: { role: 'assistant', content: null, ...fields } }],
        usage: usage(1, 1),
      })
    return sendStream(response, [delta(fields), { choices: [{ ...end, delta: {} }] }, '[DONE]'])
  })
  const whole = await on.gateway.chat({ ...hello, model })
  const { choices } = (await whole.json()) as { choices: [Ended] }
  const { events } = await readStream(await on.gateway.chat({ ...hello, model, stream: true }))
  const chunks = events
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data).choices[0])
  const message = Object.assign({}, ...chunks.map((chunk) => chunk.delta))
  return [choices[0], { message, finish_reason: chunks.at(-1).finish_reason }]
}

const call = (text: string) => ({
  tool_calls: [
    { index: 0, id: 'c1', type: 'function', function: { name: 'add', arguments: text } },
  ],
})

describe('the end of an answer', () => {
  // https://github.com/vllm-project/vllm/issues/53269
  it.each([
    ['inside its arguments', '{"text": "a', 'length'],
    ['inside a list of its arguments', '{"a": [1, 2', 'length'],
    ['after them', '{"text": "a}"}', 'tool_calls'],
  ])('is the limit if a call ends %s', async (_, text, reason) => {
    for (const given of ['tool_calls', 'stop'])
      for (const { finish_reason } of await ended(call(text), given))
        expect(finish_reason).toBe(reason)
  })

  // https://github.com/vllm-project/vllm/pull/46303
  it('does not complete a call that was cut before its arguments', async () => {
    for (const answer of await ended(call(''), 'length'))
      expect(answer).toMatchObject({
        finish_reason: 'length',
        message: { tool_calls: [{ function: { name: 'add', arguments: '' } }] },
      })
  })

  it('is a stop if it reports tool calls without any', async () => {
    for (const answer of await ended({ content: 'Hi', tool_calls: [] }, 'tool_calls'))
      expect(answer.finish_reason).toBe('stop')
  })

  // https://github.com/CangShui/workbuddy-gateway/pull/3
  it('has no empty call in the older form', async () => {
    const stub = { content: 'Hi', function_call: { name: '', arguments: '' } }
    for (const { message } of await ended(stub, 'stop'))
      expect(message).not.toHaveProperty('function_call')
    const older = { function_call: { name: 'add', arguments: '{}' } }
    for (const answer of await ended(older, 'function_call'))
      expect(answer).toMatchObject({ finish_reason: 'function_call', message: older })
  })

  // https://github.com/OleksandrChekhovskyi/hax/pull/15
  it('is a failure if only the native reason reports it', async () => {
    const end = { index: 0, finish_reason: 'stop', native_finish_reason: 'network_error' }
    on.upstream.serve(model, (response) =>
      sendJson(response, 200, { choices: [{ ...end, message: { content: '' } }] }),
    )
    on.upstream.serve('openai/gpt-4o-mini', says('instead', usage(1, 1)))
    const answer = await on.gateway.chat({ ...hello, model })
    expect(await answer.json()).toMatchObject({ model: 'openai/gpt-4o-mini' })
  })
})

it('all chunks of a stream have one id and one time', async () => {
  const chunk = delta({ content: 'a' })
  const chunks = [
    { ...chunk, id: 'up-1', created: 1 },
    { ...chunk, id: 'up-2', created: 2 },
  ]
  on.upstream.serve(model, (response) =>
    sendStream(response, [...chunks, delta({}, 'stop'), '[DONE]']),
  )
  const { events } = await readStream(await on.gateway.chat({ ...hello, model, stream: true }))
  const sent = events.slice(0, -1).map(({ data }) => JSON.parse(data))
  expect(sent.map(({ id, created }) => [id, created])).toEqual(sent.map(() => ['up-1', 1]))
})

it('an empty list of tools is not sent, nor the options that need tools', async () => {
  on.upstream.serve(model, says('Hi', usage(1, 1)))
  const options = { tool_choice: 'auto', parallel_tool_calls: false }
  await on.gateway.chat({ ...hello, model, tools: [], ...options })
  for (const name of ['tools', ...Object.keys(options)])
    expect(on.upstream.asked.at(-1)?.body).not.toHaveProperty(name)
  const tools = [{ type: 'function', function: { name: 'add' } }]
  await on.gateway.chat({ ...hello, model, tools, ...options })
  expect(on.upstream.asked.at(-1)?.body).toMatchObject({ tools, ...options })
})
