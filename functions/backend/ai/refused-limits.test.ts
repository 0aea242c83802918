import { expect, it } from 'vitest'
import { keyHolder } from '#tests/support/ai/callers.ts'
import { hello, useGateway } from '#tests/support/ai/gateway.ts'
import { type CompletionCall, says, sendJson, usage } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const on = useGateway()
const capped = { plan: 'network', status: 'active' as const, spendCapUsd: 5 }

let models = 0

it.each([
  [
    'for a prompt that is too long for the default limit',
    (limit: number, first: boolean) =>
      first && limit > 4096
        ? `This model's maximum context length is 16384 tokens. However, you requested ${limit + 12_000} tokens (12000 in the messages, ${limit} in the completion).`
        : undefined,
    200,
  ],
  [
    'that repeats words of the request',
    (_: number, first: boolean) =>
      first ? "Invalid value: 'max_tokens must be at most 1024'" : undefined,
    400,
  ],
  [
    'that names a field in words of the request',
    (_: number, first: boolean) => (first ? "Invalid value: 'max_tokens'" : undefined),
    400,
  ],
] as const)('a rejection %s changes no later call', async (_, refusal, status) => {
  // The gateway remembers how a model treats limits.
  const model = `r${models++}`
  on.upstream.list([{ id: model, pricing: { prompt: '0.0000025', completion: '0.00001' } }])
  on.upstream.serve(model, (response, asked: CompletionCall) => {
    const first = JSON.stringify(asked.body['messages']).includes('first')
    const message = refusal(Number(asked.body['max_tokens']), first)
    return message === undefined
      ? says('x', usage(1, 1))(response, asked)
      : sendJson(response, 400, { error: { message } })
  })
  const { headers } = await keyHolder(on.table, capped)
  const messages = [{ role: 'user', content: 'first' }]
  const first = await on.gateway.chat({ ...hello, model, messages }, { headers })
  expect(first.status).toBe(status)
  const other = await keyHolder(on.table, capped)
  const later = await on.gateway.chat({ ...hello, model }, { headers: other.headers })
  expect(later.status).toBe(200)
  expect(on.upstream.asked.at(-1)?.body).toMatchObject({
    max_tokens: 16_384,
    max_completion_tokens: 16_384,
  })
})
