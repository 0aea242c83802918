import { beforeAll, expect, it } from 'vitest'
import { monthOf } from '#shared/ai/usage/month.ts'
import { quotaKey } from '#shared/ai/usage/quota/row.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { untilDayHasTime } from '../support/clock/day.ts'
import type { Answer } from '../support/http/client.ts'
import {
  asInternal,
  call,
  chat,
  historyOf,
  newSubscriber,
  runningAgent,
  sharedTable,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'

beforeAll(untilDayHasTime)

const setOwnCap = (user: TestUser, spendCapUsd: number | null) =>
  call(`${stack().web}/api/settings`, {
    method: 'PATCH',
    headers: user.session,
    body: { spendCapUsd },
  })

const setAgentCap = (user: TestUser, id: string, spendCapUsd: number | null) =>
  call(`${stack().web}/api/agents/${id}/config?apply=false`, {
    method: 'PUT',
    headers: user.session,
    body: { config: { spendCapUsd } },
  })

function expectRefused({ status, headers, body }: Answer, spentUsd: number, capUsd: number) {
  const now = new Date()
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
  expect(body).toEqual({
    error: expect.stringContaining('spend cap'),
    code: 'SPEND_CAP_REACHED',
    spentUsd,
    capUsd,
    resetsAt: next.toISOString(),
  })
  expect(status).toBe(429)
  const seconds = Number(headers.get('retry-after'))
  expect(Math.abs(next.getTime() - now.getTime() - seconds * 1000)).toBeLessThan(60_000)
}

it('a user’s spend cap ends the turns of their agents until it is cleared', async () => {
  const user = await newSubscriber()
  const agentId = await runningAgent(user)
  const say = (message: string, more: object = {}) => chat(user, { message, agentId, ...more })
  expect((await say('first')).status).toBe(200)

  const key = quotaKey(user.id, monthOf(Date.now()))
  const spent = { usedMicroUsd: 2_500_000, committedMicroUsd: 2_500_000 }
  await sharedTable().update(key, { add: spent })
  expect((await setOwnCap(user, 2.5)).status).toBe(200)
  expectRefused(await say('refused'), 2.5, 2.5)
  expectRefused(await say('refused in a stream', { stream: true }), 2.5, 2.5)
  const direct = await call(`${stack().backend}/api/ai/chat`, {
    headers: { ...asInternal(user.id), 'x-user-plan': 'solo', 'x-billing-subscription-id': 's' },
    body: { messages: [{ role: 'user', content: 'hello' }] },
  })
  expect([direct.status, direct.body.code]).toEqual([429, 'SPEND_CAP_REACHED'])

  expect((await setOwnCap(user, 2.6)).status).toBe(200)
  expect((await say('under it')).status).toBe(200)
  expect((await setOwnCap(user, 0)).status).toBe(200)
  expectRefused(await say('refused again'), 2.5, 0)
  expect((await setOwnCap(user, null)).status).toBe(200)
  expect((await say('last')).status).toBe(200)

  // A refused turn stores the user's message without a reply.
  const messages = await historyOf(user, agentId)
  expect(messages.map(({ sender, content }) => (sender === 'user' ? content : 'reply'))).toEqual([
    'first',
    'reply',
    'refused',
    'refused in a stream',
    'under it',
    'reply',
    'refused again',
    'last',
    'reply',
  ])
})

it('an agent’s spend cap ends only the turns of that agent, without a restart', async () => {
  const user = await newSubscriber()
  const capped = await runningAgent(user, 'Capped')
  const free = await runningAgent(user, 'Free')
  expect((await setAgentCap(user, capped, 0)).status).toBe(200)
  expectRefused(await chat(user, { message: 'hello', agentId: capped }), 0, 0)
  expect((await chat(user, { message: 'hello', agentId: free })).status).toBe(200)
  // The cap also applies to scheduled work.
  const { web } = stack()
  const swarm = await call(`${web}/api/swarms`, {
    headers: user.session,
    body: { name: 'Both', agents: [capped, free] },
  })
  const run = await call(`${web}/api/swarms/${String(swarm.body.id)}/run`, {
    headers: user.session,
    body: { prompt: 'hello' },
  })
  expect(run.body.results).toEqual([
    { agentId: capped, reply: null, error: expect.stringContaining('spend cap of the agent') },
    { agentId: free, reply: expect.any(String), error: null },
  ])
  expect((await setAgentCap(user, capped, null)).status).toBe(200)
  expect((await chat(user, { message: 'hello', agentId: capped })).status).toBe(200)
})

it('an invalid cap is rejected, and changes nothing', async () => {
  const user = await newSubscriber()
  expect((await setOwnCap(user, 3)).status).toBe(200)
  for (const cap of ['-1', '"5"', '1e400', '{}', 'true']) {
    const answer = await fetch(`${stack().web}/api/settings`, {
      method: 'PATCH',
      headers: { ...user.session, 'content-type': 'application/json' },
      body: `{"spendCapUsd":${cap}}`,
    })
    expect([cap, answer.status]).toEqual([cap, 400])
  }
  const profile = await sharedTable().get({ pk: userPartition(user.id), sk: 'profile' })
  expect(profile).toMatchObject({ spendCapUsd: 3 })
})
