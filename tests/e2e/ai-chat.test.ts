import { beforeAll, expect, it } from 'vitest'
import { monthOf } from '#shared/ai/usage/month.ts'
import { quotaKey } from '#shared/ai/usage/quota/row.ts'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import { untilDayHasTime } from '../support/clock/day.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, newSubscriber, sharedTable, stack } from '../support/stack/platform.ts'

const { plans: sets } = modelSetsOf({})

beforeAll(untilDayHasTime)

const path = () => `${stack().backend}/api/ai/chat`
const messages = [{ role: 'user', content: 'What is new?' }]

const headersOf = (more: Record<string, string | undefined> = {}) => {
  const all = {
    authorization: `Bearer ${stack().internalKey}`,
    'x-user-plan': 'solo',
    'x-billing-subscription-id': 'sub_1',
    'x-user-id': 'usr_aichat',
    ...more,
  }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const ask = (body: unknown, more?: Record<string, string | undefined>) =>
  call(path(), { headers: headersOf(more), body })

it('a trusted caller’s chat is answered by the stand-in, at no cost', async () => {
  const { status, body } = await ask({ messages, taskType: 'coding' })
  expect(status).toBe(200)
  expect(body).toEqual({
    id: expect.any(String),
    model: 'local/echo',
    provider: 'local',
    message: { role: 'assistant', content: expect.stringContaining('stand-in') },
    usage: {
      prompt_tokens: expect.any(Number),
      completion_tokens: expect.any(Number),
      total_tokens: expect.any(Number),
    },
    timestamp: expect.stringMatching(/Z$/),
  })
})

it('a chat streams OpenAI’s chunks up to [DONE]', async () => {
  const answer = await fetch(path(), {
    method: 'POST',
    headers: { ...headersOf(), 'content-type': 'application/json' },
    body: JSON.stringify({ messages, stream: true }),
  })
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  const events = (await answer.text()).trimEnd().split('\n\n')
  expect(events.at(-1)).toBe('data: [DONE]')
  expect(JSON.parse(events.at(-2)?.slice('data: '.length) ?? '')).toMatchObject({
    object: 'chat.completion.chunk',
    model: 'local/echo',
    usage: { total_tokens: expect.any(Number) },
  })
})

it.each<[string, Record<string, string | undefined>, unknown, number, object]>([
  ['no key', { authorization: undefined }, {}, 401, {}],
  ['a wrong key', { authorization: 'Bearer wrong' }, {}, 403, {}],
  ['no plan', { 'x-user-plan': undefined }, {}, 402, { code: 'PLAN_REQUIRED' }],
  ['an unknown plan', { 'x-user-plan': 'gold' }, {}, 402, { code: 'PLAN_REQUIRED' }],
  [
    'no subscription',
    { 'x-billing-subscription-id': undefined },
    {},
    402,
    { code: 'SUBSCRIPTION_REQUIRED' },
  ],
  ['no messages', {}, {}, 400, {}],
  ['a tool’s message', {}, { messages: [{ role: 'tool', content: 'x' }] }, 400, {}],
  ['an unknown role', {}, { messages: [{ role: 'root', content: 'x' }] }, 400, {}],
  ['an unknown task', {}, { messages, taskType: 'cooking' }, 400, {}],
  ['an absurd limit', {}, { messages, max_tokens: 1e18 }, 400, {}],
  ['a negative limit', {}, { messages, max_tokens: -1 }, 400, {}],
  ['a body over 1 MB', {}, { messages: [{ role: 'user', content: 'x'.repeat(2 ** 20) }] }, 413, {}],
  [
    'another plan’s model',
    {},
    { messages, model: sets.collective?.at(-1) },
    403,
    {
      success: false,
      code: 'MODEL_RESTRICTED',
      allowedModels: [...(sets.solo ?? []), 'local/echo'],
    },
  ],
  [
    'a model that no provider lists',
    { 'x-user-plan': 'network' },
    { messages, model: 'acme/none' },
    404,
    { success: false, code: 'MODEL_NOT_FOUND' },
  ],
])('a chat with %s is rejected', async (_, headers, body, status, said) => {
  const answer = await ask(body, headers)
  expect(answer.status).toBe(status)
  expect(answer.body).toMatchObject({ error: expect.any(String), ...said })
})

it('an exhausted quota rejects the next chat, and a prompt of nearly 1 MB exhausts one', async () => {
  const { id } = await newSubscriber()
  const long = [{ role: 'user', content: 'x'.repeat(1_048_000) }]
  expect((await ask({ messages: long, max_tokens: 5 }, { 'x-user-id': id })).status).toBe(200)
  const key = quotaKey(id, monthOf(Date.now()))
  // Usage is recorded after the answer.
  const used = await eventually(async () => {
    const counted = Number((await sharedTable().get(key))?.used)
    expect(counted).toBeGreaterThan(200_000)
    return counted
  })
  await sharedTable().update(key, { add: { used: 2_000_000, committed: 2_000_000 } })
  const refused = await ask({ messages }, { 'x-user-id': id })
  expect([refused.status, refused.body]).toEqual([
    429,
    {
      success: false,
      error: expect.stringContaining(`${2_000_000 + used} of 2000000 tokens used`),
      code: 'QUOTA_EXCEEDED',
      plan: 'solo',
      used: 2_000_000 + used,
      limit: 2_000_000,
      resetsAt: expect.stringMatching(/-01T00:00:00.000Z$/),
    },
  ])
})
