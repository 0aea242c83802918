import { describe, expect, it } from 'vitest'
import { useGateway } from '#tests/support/ai/gateway.ts'
import { says, sendJson, usage } from '#tests/support/ai/upstream.ts'

const on = useGateway({ AI_SPEAKS: ['chat', 'embeddings', 'messages', 'responses'] })

const model = 'anthropic/claude-sonnet-4.5'
const network = { headers: { 'x-user-plan': 'network' } }

function image(data: string) {
  const source = { type: 'base64', media_type: 'image/png', data }
  const messages = [{ role: 'user', content: [{ type: 'image', source }] }]
  return { model, max_tokens: 100, messages }
}

function file(file_data: string) {
  return { model, input: [{ role: 'user', content: [{ type: 'input_file', file_data }] }] }
}

describe('a file in base64', () => {
  const photo = 'ABCD'.repeat(1_000_000)

  it('can be as large as a photo', async () => {
    on.upstream.serve(model, (response, { path }) =>
      sendJson(
        response,
        200,
        path === '/messages'
          ? { type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' }
          : { object: 'response', status: 'completed', output: [] },
      ),
    )
    const sent = [
      await on.gateway.messages(image(photo), network),
      await on.gateway.responses(file(photo), network),
      await on.gateway.responses(file(`data:application/pdf;base64,${photo}`), network),
    ]
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it.each([
    ['white space before a wrong character', `AA${' '.repeat(4_000_000)}!`],
    ['white space before a wrong character, after its end', `AA=${' '.repeat(4_000_000)}!`],
    ['one character', 'A'],
    ['three equals signs', 'AAAA==='],
    ['leading white space', ' AAAA'],
    ['text after its end', 'AA==AA'],
  ])('is refused with %s', async (_, data) => {
    const refused = [
      await on.gateway.messages(image(data), network),
      await on.gateway.responses(file(data), network),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400])
    expect(await refused[0]?.text()).toContain('base64')
  })

  it('is refused with parameters without end', async () => {
    const data = `data:a${';a'.repeat(2_000_000)};base64,AAAA`
    expect((await on.gateway.responses(file(data), network)).status).toBe(400)
  })
})

describe('a request of many wrong values', () => {
  const many = Array.from({ length: 2_000_000 }, () => 0)
  const content = (values: unknown) => [{ role: 'user', content: values }]

  it.each([
    ['messages', 'messages', { model, max_tokens: 1, messages: many }],
    ['blocks', 'messages', { model, max_tokens: 1, messages: content(many) }],
    [
      'texts in a block',
      'messages',
      { model, max_tokens: 1, messages: content([{ type: 'search_result', content: many }]) },
    ],
    ['items', 'responses', { model, input: many }],
    ['parts', 'chat', { model, messages: content(many) }],
    ['biases', 'chat', { model, logit_bias: { ...many.slice(0, 300_000).map(String) } }],
    [
      'texts in a list of tokens',
      'embeddings',
      { model, input: [many.slice(0, 1_000_000).map(() => 'a')] },
    ],
    ['values beside tokens', 'embeddings', { model, input: [[1]], more: many }],
    ['negative tokens', 'embeddings', { model, input: [many.slice(0, 1_500_000).map(() => -1)] }],
  ] as const)('is refused: %s', async (_, family, body) => {
    const answer = await on.gateway[family](body, network)
    expect(answer.status).toBe(400)
  })

  it('may contain almost as many as the maximum', async () => {
    const texts = [
      { type: 'search_result', source: 'a', title: 'a', content: many.slice(0, 99_000) },
    ]
    const answer = await on.gateway.messages(
      { model, max_tokens: 1, messages: content(texts) },
      network,
    )
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('content.0.content.0')
  })

  it('is not repeated as a whole', async () => {
    const messages = content([{ type: 'eyJ-'.repeat(1_000_000) }])
    const answer = await on.gateway.messages({ model, max_tokens: 1, messages }, network)
    expect(answer.status).toBe(400)
    expect((await answer.text()).length).toBeLessThan(2000)
  })
})

describe('log probabilities', () => {
  const most = {
    model,
    messages: [{ role: 'user', content: 'a' }],
    logprobs: true,
    top_logprobs: 20,
  }

  it.each([
    ['of many tokens', 'chat', { ...most, max_tokens: 30_000 }],
    ['of many choices', 'chat', { ...most, n: 2 }],
    [
      'of a response',
      'responses',
      { model, input: 'a', top_logprobs: 20, max_output_tokens: 30_000 },
    ],
  ] as const)(
    '%s are refused, because a whole answer with them cannot be read',
    async (_, family, body) => {
      const answer = await on.gateway[family](body, network)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ error: { param: 'top_logprobs' } })
      expect(on.upstream.asked).toEqual([])
    },
  )

  it.each([{}, { max_tokens: 23_000 }, { max_tokens: 30_000, stream: true }])(
    'can be requested with %o',
    async (more) => {
      on.upstream.serve(model, says('a', usage(1, 1)))
      const answer = await on.gateway.chat({ ...most, ...more }, network)
      expect(answer.status).toBe(200)
      await answer.text()
    },
  )
})

describe('a tier with another price', () => {
  it.each(['embeddings', 'chat', 'responses'] as const)('is refused in %s', async (family) => {
    const body = { model, input: 'a', messages: [{ role: 'user', content: 'a' }] }
    const answer = await on.gateway[family]({ ...body, service_tier: 'priority' }, network)
    expect(await answer.json()).toMatchObject({ error: { param: 'service_tier' } })
    expect(on.upstream.asked).toEqual([])
  })
})
