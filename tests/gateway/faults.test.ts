import type OpenAI from 'openai'
import { beforeEach, describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import {
  type Behaviour,
  cutAfter,
  delta,
  fails,
  isSilent,
  says,
  sendStream,
  usage,
} from '../support/ai/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'

const model = 'openai/gpt-4o'
const second = 'openai/gpt-4o-mini'
const messages = [{ role: 'user' as const, content: 'hello' }]

// Longer than any test: no model times out because the machine is slow.
const patient = useAiFunction({ AI_API_KEY: 'key', AI_MODEL_TIMEOUT_MS: '120000' }, 'solo')
// For behaviours that end only by a timeout. The next model must answer within it.
const hasty = useAiFunction({ AI_API_KEY: 'key', AI_MODEL_TIMEOUT_MS: '3000' }, 'solo')
beforeEach(() => {
  for (const { upstream } of [patient, hasty]) upstream.serve(second, says('instead', usage(3, 2)))
})

const raw =
  (body: string, status = 200, type = 'application/json'): Behaviour =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(body)

const resets: Behaviour = (response) => void response.socket?.resetAndDestroy()

/** Sends as much as the other side reads, endlessly. */
const floods =
  (type: string): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': type })
    const flood = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', flood)
    }
    flood()
  }

/** Sends half of its Content-Length. */
const truncates: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"choices":[{"message":')
  setImmediate(() => response.socket?.destroy())
}

const words = [delta({ content: 'one ' }), delta({ content: 'two ' })]

const fallsSilent: Behaviour = (response) => sendStream(response, words, { end: false })

const endless = new Set([isSilent, fallsSilent])

/** Returns the gateway that faces a model with this behaviour. */
const facing = (behaviour: Behaviour) => (endless.has(behaviour) ? hasty : patient)

const faults: [string, Behaviour][] = [
  ['is silent', isSilent],
  ['answers 429', fails(429, 'slow down', { 'retry-after': '7' })],
  ['answers 500', fails(500)],
  ['answers 503 in HTML', raw('<h1>no</h1>', 503, 'text/html')],
  ['resets the connection', resets],
  ['answers no JSON', raw('{"choices":')],
  ['answers nothing', raw('')],
  ['answers another shape', raw('{"choices":[]}')],
]

async function settled(on: typeof patient, tokens: number) {
  return eventually(async () => {
    const row = await on.caller.quota()
    expect(row).toMatchObject({ used: tokens, committed: tokens })
    return row
  })
}

describe('a model that fails', () => {
  it.each<[string, Behaviour]>([
    ...faults,
    ['floods', floods('application/json')],
    ['is interrupted in its body', truncates],
  ])('a model that fails and %s is replaced by the next one', async (_, behaviour) => {
    const on = facing(behaviour)
    on.upstream.serve(model, behaviour)
    const answer = await on.caller.openai.chat.completions.create({ model, messages })
    expect(answer.model).toBe(second)
    expect(answer.choices[0]?.message.content).toBe('instead')
    await settled(on, 5)
    expect(await on.caller.events()).toEqual([
      expect.objectContaining({ model: second, success: true, inputTokens: 3, outputTokens: 2 }),
    ])
  })

  it.each<[string, Behaviour]>([
    ...faults,
    ['streams without an event', floods('text/event-stream')],
    ['is interrupted before its first event', raw('data: {"choices', 200, 'text/event-stream')],
  ])('a model that fails and %s is replaced by the next one, streamed', async (_, behaviour) => {
    const on = facing(behaviour)
    on.upstream.serve(model, behaviour)
    const stream = await on.caller.openai.chat.completions.create({ model, messages, stream: true })
    expect(await textOf(stream)).toBe('instead')
    await settled(on, 5)
  })
})

async function textOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = ''
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  return text
}

describe('a call without an answering model', () => {
  const refused = async (on = patient) => {
    const error = await on.caller.openai.chat.completions
      .create({ model, messages })
      .catch((thrown: unknown) => thrown)
    await settled(on, 0)
    expect(await on.caller.events()).toEqual([])
    return error as InstanceType<typeof OpenAI.APIError>
  }

  it('forwards the shortest Retry-After of the models', async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    const { upstream } = patient
    upstream.serve(model, fails(429, 'slow down', { 'retry-after': inAMinute }))
    upstream.serve(second, fails(503, 'overloaded', { 'retry-after': '17' }))
    const error = await refused()
    expect(error).toMatchObject({ status: 502, code: 'AI_UNAVAILABLE' })
    expect(error.headers?.get('retry-after')).toBe('17')
    expect(upstream.asked.slice(0, 2).map((asked) => asked.model)).toEqual([model, second])
  })

  it.each(['soon', '-1', '1e9'])('forwards no Retry-After of: %s', async (given) => {
    for (const each of [model, second])
      patient.upstream.serve(each, fails(429, 'slow down', { 'retry-after': given }))
    expect((await refused()).headers?.get('retry-after')).toBeNull()
  })

  it('reports each attempt', async () => {
    hasty.upstream.serve(model, isSilent)
    hasty.upstream.serve(second, fails(500))
    const { error } = await refused(hasty)
    const attempts = [
      { model, status: null },
      { model: second, status: 500 },
    ]
    expect(error).toMatchObject({ attempts: expect.arrayContaining(attempts.map(anything)) })
  })
})

const anything = (part: object): unknown => expect.objectContaining(part)

describe('a stream that breaks off in the middle', () => {
  it.each<[string, Behaviour]>([
    ['is interrupted', cutAfter(words)],
    [
      'is reset',
      async (response) => {
        await sendStream(response, words, { end: false })
        response.socket?.resetAndDestroy()
      },
    ],
    ['becomes invalid', (response) => sendStream(response, [...words, '{"choices":'])],
    ['sends no more data', fallsSilent],
  ])(
    'a stream that breaks off in the middle and %s: the client gets an error, and the tokens so far are settled',
    async (_, behaviour) => {
      const on = facing(behaviour)
      on.upstream.serve(model, behaviour)
      const stream = await on.caller.openai.chat.completions.create({
        model,
        messages,
        stream: true,
      })
      const observed: unknown[] = []
      const failure = await (async () => {
        for await (const { choices } of stream) observed.push(choices[0]?.delta.content)
      })().catch((thrown: unknown) => thrown)
      expect(observed).toEqual(['one ', 'two '])
      expect(failure).toMatchObject({ code: 'AI_INTERRUPTED', type: 'api_error' })
      const [event] = await eventually(async () => {
        const events = await on.caller.events()
        expect(events).toHaveLength(1)
        return events
      })
      expect(event).toMatchObject({ model, success: false, estimated: true })
      await settled(on, Number(event?.inputTokens) + Number(event?.outputTokens))
      expect(on.upstream.asked.map((asked) => asked.model)).toEqual([model])
    },
  )
})
