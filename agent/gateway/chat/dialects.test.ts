import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { beginStream, type Call, endStream, sendEvent, sendJson } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'

const on = useAgent('all', { AGENT_MCP: '1' })

type Reply = (response: ServerResponse) => void
type Told = Record<string, unknown> & { role: string }

/** The requests to the model, and the arguments of the tool calls. */
let asked: Call[]
let given: unknown[]
let rounds: Reply[]

const inputSchema = { type: 'object', properties: { of: { type: 'string' } } }
const tools = [{ name: 'get_usage', description: 'Tells the usage.', inputSchema }]

beforeEach(() => {
  asked = []
  given = []
  rounds = []
  on.upstream.reply = (response, call) => {
    if (call.path !== '/mcp') {
      asked.push(call)
      return (rounds.shift() ?? streams({ content: 'Done.' }))(response)
    }
    const { method, params } = call.body as unknown as {
      method: string
      params: { arguments?: unknown }
    }
    if (method === 'tools/call') given.push(params.arguments)
    const result =
      method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: '"ok"' }] }
    sendJson(response, 200, { jsonrpc: '2.0', id: 1, result })
  }
})

const streams =
  (...deltas: object[]): Reply =>
  (response) => {
    beginStream(response)
    for (const delta of deltas) sendEvent(response, { choices: [{ index: 0, delta }] })
    endStream(response)
  }

const whole =
  (message: object): Reply =>
  (response) =>
    sendJson(response, 200, { choices: [{ index: 0, message }] })

const refuses: Reply = (response) =>
  sendJson(response, 400, { error: { message: 'no', type: 't', code: 'c', param: 'messages' } })

const messages = (call: Call | undefined) => (call?.body.messages ?? []) as unknown as Told[]

/** Returns the assistant's messages with tool calls in a request. */
const calling = (call: Call | undefined) => messages(call).filter((each) => 'tool_calls' in each)

async function say(user: string, stream: boolean): Promise<string> {
  const question = { user, stream, messages: [{ role: 'user', content: 'How much?' }] }
  return (await on.gateway.chat(question)).text()
}

const calls = (...tool_calls: object[]) => ({ tool_calls })
const get = (given: unknown, more: object = {}) => ({
  index: 0,
  id: 'c1',
  type: 'function',
  function: { name: 'get_usage', arguments: given },
  ...more,
})
const part = (name: string | undefined, text: string) => ({
  index: 0,
  function: { name, arguments: text },
})
const object = '{"of":"June"}'
const june = { of: 'June' }

interface Shape {
  /** The whole message; default: the fields of the deltas. */
  message?: object
  deltas: object[]
  tools: unknown[]
  history: string[]
}

describe('a tool call', () => {
  const once = (...deltas: object[]): Shape => ({ deltas, tools: [june], history: [object] })
  const shapes: Record<string, Shape> = {
    'without arguments': { deltas: [calls(get(''))], tools: [{}], history: ['{}'] },
    'with null for arguments': { deltas: [calls(get(null))], tools: [{}], history: ['{}'] },
    'with an object': once(calls(get(june))),
    'with JSON within JSON': once(calls(get(JSON.stringify(object)))),
    'with no JSON': { deltas: [calls(get('{"of":'))], tools: [], history: ['{}'] },
    'with a list': { deltas: [calls(get('[1]'))], tools: [], history: ['{}'] },
    'without an id': once(calls(get(object, { id: undefined }))),
    'with an empty id': once(calls(get(object, { id: '' }))),
    'with a number for an id': once(calls(get(object, { id: 7 }))),
    'without an index': once(calls(get(object, { index: undefined }))),
    'with a text for an index': once(calls(get(object, { index: '1' }))),
    'in the form before tool_calls': once({
      function_call: { name: 'get_usage', arguments: object },
    }),
    'that comes twice': {
      ...once(calls(get(object)), calls(get(object))),
      message: calls(get(object)),
    },
    'whose name is repeated': {
      ...once(
        calls(get('{"of"')),
        calls(part('get_usage', ':"June"')),
        calls(part('get_usage', '}')),
      ),
      message: calls(get(object)),
    },
    'whose name comes in pieces': {
      ...once(
        calls(get('', { function: { name: 'get_' } })),
        calls(part('usage', '')),
        calls(part(undefined, object)),
      ),
      message: calls(get(object)),
    },
    'beside another with the same index': {
      deltas: [calls(get(object)), calls(get('{"of":"May"}', { id: 'c2' }))],
      message: calls(get(object), get('{"of":"May"}', { id: 'c2' })),
      tools: [june, { of: 'May' }],
      history: [object, '{"of":"May"}'],
    },
    'beside another with the same id and index': {
      deltas: [calls(get(object, { id: '' }), get('{"of":"May"}', { id: '' }))],
      tools: [june, { of: 'May' }],
      history: [object, '{"of":"May"}'],
    },
  }

  const forms = Object.keys(shapes).flatMap((name) =>
    [true, false].map((stream) => ({ name, stream })),
  )
  test.each(forms)('$name runs (stream: $stream)', async ({ name, stream }) => {
    const { deltas, message = deltas[0] ?? {}, tools: expected, history } = shapes[name] as Shape
    rounds = [
      stream ? streams(...deltas) : whole(message),
      stream ? streams({ content: 'Done.' }) : whole({ content: 'Done.' }),
    ]
    expect(await say(`${name} ${stream}`, stream)).toContain('Done.')
    expect(given).toEqual(expected)
    const [called] = calling(asked[1]) as unknown as {
      tool_calls: { id: string; function: { name: string; arguments: string } }[]
    }[]
    expect(called?.tool_calls.map(({ function: { arguments: text } }) => text)).toEqual(history)
    const ids = called?.tool_calls.map(({ id }) => id) ?? []
    expect(new Set(ids).size).toBe(history.length)
    const results = messages(asked[1]).filter(({ role }) => role === 'tool')
    expect(results.map((result) => result['tool_call_id'])).toEqual(ids)
    if (expected.length === 0) expect(results[0]?.['content']).toContain('error')
  })
})

describe('additional fields of a provider', () => {
  const signed = get(object, { extra_content: { google: { thought_signature: 'c2ln' } } })
  const details = [
    { type: 'reasoning.text', text: 'First think.', signature: 'abc', format: 'f', index: 0 },
    { type: 'reasoning.encrypted', data: 'xyz', id: 'r1', index: 1 },
  ]
  const fields = {
    reasoning_content: 'First think.',
    reasoning: 'Hm, hm.',
    reasoning_details: details,
  }
  const deltas = [
    { reasoning_content: 'First ', reasoning: 'Hm, ' },
    { reasoning_content: 'think.', reasoning: 'hm.' },
    { reasoning_details: [{ type: 'reasoning.text', text: 'First ', format: 'f', index: 0 }] },
    { reasoning_details: [{ type: 'reasoning.text', text: 'think.', format: 'f', index: 0 }] },
    { reasoning_details: [{ type: 'reasoning.text', signature: 'abc', index: 0 }] },
    { reasoning_details: [details[1]] },
    calls(signed),
  ]
  const { index: _, ...call } = signed

  test.each([true, false])(
    'are sent back in the same turn and in later turns (stream: %s)',
    async (stream) => {
      const last = { content: 'Done.', reasoning_content: 'So.' }
      rounds = stream
        ? [streams(...deltas), streams(last)]
        : [whole({ ...fields, content: null, ...calls(signed) }), whole(last)]
      const user = `opaque ${stream}`
      await say(user, stream)
      const step = { role: 'assistant', content: null, ...fields, tool_calls: [call] }
      expect(calling(asked[1])).toEqual([step])
      await say(user, stream)
      expect(calling(asked[2])).toEqual([step])
      expect(messages(asked[2]).slice(-2)).toEqual([
        { role: 'assistant', ...last },
        { role: 'user', content: 'How much?' },
      ])
    },
  )

  test('additional fields of a provider that are too long for a prompt are dropped, and the text of their turn stays', async () => {
    rounds = [streams({ content: 'Early.', reasoning_content: 'x'.repeat(130_000) })]
    await say('long', true)
    await say('long', true)
    expect(messages(asked[1]).slice(-3)).toEqual([
      { role: 'user', content: 'How much?' },
      { role: 'assistant', content: 'Early.' },
      { role: 'user', content: 'How much?' },
    ])
  })
})

describe('a conversation', () => {
  test.each([true, false])(
    'a conversation whose tool rounds a provider rejects continues as text, once and for later turns (stream: %s)',
    async (stream) => {
      const user = `refused ${stream}`
      rounds = [streams(calls(get(object))), streams({ content: 'Seven.' }), refuses]
      await say(user, stream)
      expect(await say(user, stream)).toContain('Done.')
      expect(asked).toHaveLength(4)
      const history = messages(asked[3]).slice(-3)
      expect(history[0]).toEqual({ role: 'user', content: 'How much?' })
      expect(history[1]).toEqual({
        role: 'assistant',
        content: expect.stringMatching(/get_usage with \{"of":"June"\}[^]*"ok"[^]*Seven\./),
      })
      await say(user, stream)
      expect(asked).toHaveLength(5)
      expect(calling(asked[4])).toEqual([])
    },
  )

  test('a conversation that a provider rejects during a turn keeps the results of its tools', async () => {
    rounds = [streams(calls(get(object))), refuses]
    expect(await say('midst', true)).toContain('Done.')
    expect(given).toEqual([june])
    expect(messages(asked[2]).slice(-2)).toEqual([
      { role: 'assistant', content: expect.stringContaining('get_usage') },
      { role: 'user', content: 'Go on.' },
    ])
    await say('midst', true)
    expect(calling(asked[3])).toEqual([])
    expect(messages(asked[3]).map(({ role }) => role)).not.toContain('tool')
  })

  test('includes the tool round of a failed turn as text', async () => {
    const down: Reply = (response) => sendJson(response, 500, { error: { message: 'down' } })
    rounds = [streams(calls(get(object))), down]
    await say('failed', false)
    await say('failed', true)
    expect(messages(asked[2]).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ])
    expect(messages(asked[2])[2]?.['content']).toContain('get_usage')
  })

  test('gets a result for each tool call that did not run', async () => {
    const own = [{ type: 'function', function: { name: 'own', parameters: {} } }]
    const question = { user: 'own', tools: own, messages: [{ role: 'user', content: 'Hi' }] }
    rounds = [whole(calls(get('{', { function: { name: 'own', arguments: '{' } })))]
    await on.gateway.chat(question)
    await on.gateway.chat(question)
    expect(messages(asked[1])).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c1' },
      { role: 'user' },
    ])
  })
})

test('converts a content that is a list to its text, whole and streamed', async () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
    { type: 'text', text: 'Fine.' },
  ]
  rounds = [whole({ content }), streams({ content }, { content: ' Thanks.' })]
  await say('list', false)
  await say('list', true)
  await say('list', false)
  expect(messages(asked[2]).filter(({ role }) => role === 'assistant')).toEqual([
    { role: 'assistant', content: 'Fine.' },
    { role: 'assistant', content: 'Fine. Thanks.' },
  ])
})
