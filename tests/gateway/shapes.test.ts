import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GatewayProcess, Home } from '../../agent/gateway/testing/gateway.ts'
import { type AiCaller, type AiFunction, startAiFunction } from '../support/ai/ai-function.ts'
import { startUpstream, type Upstream } from '../support/ai/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import { plays, shapes } from './shapes/play.ts'
import type { Shape } from './shapes/shape.ts'

const messages = [{ role: 'user' as const, content: 'hello' }]
const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters: {} } }]

let upstream: Upstream
let gateway: AiFunction
let caller: AiCaller
let home: Home
let agent: GatewayProcess

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startAiFunction({
    AI_BASE_URL: upstream.baseUrl,
    AI_MODEL_TIMEOUT_MS: '120000',
  })
  caller = await gateway.newCaller()
  home = await Home.make()
  const { baseURL, apiKey } = caller.openai
  const key = { AI_API_KEY: String(apiKey), AGENT_BUS: '1' }
  agent = await GatewayProcess.start(home.environment(baseURL, key))
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  await upstream.close()
})

type Message = OpenAI.ChatCompletionMessage

/** Each shape has its own model, so that its requests and records can be identified. */
const modelOf = (shape: Shape) => `shape/${shapes.findIndex(([, each]) => each === shape)}`

const callsIn = ({ tool_calls: calls }: Message) =>
  calls?.map((call) => {
    if (call.type !== 'function') throw new Error('no function')
    return { name: call.function.name, arguments: JSON.parse(call.function.arguments) as unknown }
  })

function check({ expected }: Shape, { choices, usage }: OpenAI.ChatCompletion): void {
  const [choice] = choices
  expect(choices).toHaveLength(1)
  expect(choice?.message.content || undefined).toEqual(expected.content)
  expect(callsIn(choice!.message)).toEqual(expected.calls)
  if (expected.finish !== undefined) expect(choice?.finish_reason).toBe(expected.finish)
  expect(new Set(choice?.message.tool_calls?.map(({ id }) => id)).size).toBe(
    expected.calls?.length ?? 0,
  )
  if (expected.usage === undefined) expect(usage?.completion_tokens).toBeGreaterThan(0)
  else
    expect(usage).toMatchObject({
      prompt_tokens: expected.usage[0],
      completion_tokens: expected.usage[1],
      total_tokens: expected.usage[0] + expected.usage[1],
    })
}

describe.each(shapes)('%s', (_, shape) => {
  const model = modelOf(shape)

  it('reaches a caller of /v1 whole, streamed and not, from the one requested model', async () => {
    upstream.asked.length = 0
    upstream.serve(model, plays(shape))
    const { completions } = caller.openai.chat
    const whole = await completions.create({ model, messages, tools })
    check(shape, whole)
    const stream = completions.stream({
      model,
      messages,
      tools,
      stream_options: { include_usage: true },
    })
    check(shape, await stream.finalChatCompletion())
    expect(upstream.asked.map((asked) => asked.model)).toEqual([model, model])
    upstream.asked.length = 0
    const { opaque } = shape.expected
    if (opaque === undefined) return
    const answer = whole.choices[0]!.message
    const result = {
      role: 'tool' as const,
      tool_call_id: answer.tool_calls![0]!.id,
      content: 'Rain',
    }
    await completions.create({ model, messages: [...messages, answer, result] })
    const [, back] = upstream.asked[0]!.body.messages as [unknown, Message]
    expect(back).toMatchObject(opaque.message ?? {})
    expect(back.tool_calls?.[0]).toMatchObject(opaque.call ?? {})
  })

  it('reaches a person who talks to an agent, after its tool calls', async () => {
    upstream.asked.length = 0
    const { expected } = shape
    for (const stream of [true, false]) {
      const response = await agent.chat({ model, messages, user: `${model} ${stream}`, stream })
      const text = await response.text()
      expect(saidIn(text)).toBe(
        expected.calls === undefined
          ? expected.content
          : `${(stream && expected.content) || ''}Done.`,
      )
    }
    const later = upstream.asked.filter(({ body }) => messagesOf(body).at(-1)?.role === 'tool')
    expect(later).toHaveLength(expected.calls === undefined ? 0 : 2)
    for (const { body } of later) {
      const request = messagesOf(body).find((message) => message.role === 'assistant') as Message
      expect(callsIn(request)).toEqual(expected.calls)
      expect(request).toMatchObject(expected.opaque?.message ?? {})
      expect(request.tool_calls?.[0]).toMatchObject(expected.opaque?.call ?? {})
    }
  })

  it('is recorded with its tokens, once for each call', async () => {
    const used = shape.expected.usage
    await eventually(async () => {
      const events = (await caller.events()).filter((event) => event.model === model)
      expect(events.length).toBeGreaterThanOrEqual(4)
      for (const event of events) {
        expect(event.success).toBe(true)
        if (used) expect([event.inputTokens, event.outputTokens]).toEqual(used)
      }
    })
  })
})

const messagesOf = (body: Record<string, unknown>) => body.messages as { role: string }[]

/** The text of an answer, streamed or whole. */
function saidIn(text: string): string {
  if (text.startsWith('{'))
    return (JSON.parse(text) as OpenAI.ChatCompletion).choices[0]?.message.content ?? ''
  const chunks = text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as OpenAI.ChatCompletionChunk)
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
}
