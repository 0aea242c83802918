import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { monthOf } from '#shared/ai/usage/month.ts'
import { attributes, quotaKey, toQuota, units } from '#shared/ai/usage/quota/row.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { testModelVariables } from '../support/ai/model-sets.ts'
import { isSilent, says, startUpstream, type Upstream, usage } from '../support/ai/upstream.ts'
import { creditsOf, grantCredits } from '../support/billing/credits.ts'
import { untilDayHasTime } from '../support/clock/day.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const model = 'openai/gpt-4o'

let upstream: Upstream
let stack: OwnStack

beforeAll(async () => {
  upstream = await startUpstream()
  stack = await startOwnStack({ ...testModelVariables, AI_BASE_URL: upstream.baseUrl })
})
beforeEach(untilDayHasTime)
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await upstream.close()
})

const table = () => {
  useLocalCredentials()
  return dynamoTable({ tableName: 'platform', endpoint: stack.now().endpoints.dynamodb })
}

it('the hold of a call that was killed with the gateway is released once it expires', async () => {
  const user = await stack.newSubscriber()
  // Enough for one answer of 4,096 tokens at $10 a million, but not for two.
  await table().update(
    { pk: userPartition(user.id), sk: 'profile' },
    { set: { spendCapUsd: 0.04 } },
  )
  const key = quotaKey(user.id, monthOf(Date.now()))
  await table().put({ ...key, used: 1_999_000, committed: 1_999_000 })
  const ask = () =>
    call(`${stack.now().backend}/v1/chat/completions`, {
      headers: {
        ...stack.asInternal(user.id),
        'x-user-plan': 'solo',
        'x-billing-subscription-id': 'sub',
      },
      body: { model, messages: [{ role: 'user', content: 'hello' }] },
    })

  upstream.serve(model, isSilent)
  const cut = ask().catch(() => 'cut off')
  await eventually(() => expect(upstream.asked).toHaveLength(1))
  await stack.now().kill()
  expect(await cut).toBe('cut off')
  await stack.startAgain()

  upstream.serve(model, says('back', usage(10, 5)))
  const reservation = toQuota(await table().get(key))
  for (const unit of units)
    expect(reservation[unit].committed).toBeGreaterThan(reservation[unit].used)
  expect((await ask()).status).toBe(429)

  // 15 minutes later: the names of the slots are their expiry times.
  for (const unit of units)
    for (const [slot, amount] of reservation[unit].held)
      await table().update(key, {
        set: { [`${attributes[unit].held}${Math.floor(Date.now() / 1000) - 1}`]: amount },
        remove: [slot],
      })
  expect((await ask()).status).toBe(200)
  // The record is written after the answer: 10 × $2.50 and 5 × $10 a million.
  await eventually(async () => {
    const { tokens, microUsd } = toQuota(await table().get(key))
    expect(tokens).toMatchObject({ used: 1_999_015, committed: 1_999_015 })
    expect(microUsd).toMatchObject({ used: 75, committed: 75 })
  })
})

it('the held credits of a killed call are released likewise, and only the served call pays', async () => {
  const user = await stack.newSubscriber()
  const profile = { pk: userPartition(user.id), sk: 'profile' }
  // Less than one answer of 4,096 tokens at $10 a million may cost.
  await grantCredits(table(), user.id, 0.4)
  const key = quotaKey(user.id, monthOf(Date.now()))
  await table().put({ ...key, used: 2_000_000, committed: 2_000_000 })
  const ask = () =>
    call(`${stack.now().backend}/v1/chat/completions`, {
      headers: {
        ...stack.asInternal(user.id),
        'x-user-plan': 'solo',
        'x-billing-subscription-id': 'sub',
      },
      body: { model, messages: [{ role: 'user', content: 'hello' }] },
    })

  const before = upstream.asked.length
  upstream.serve(model, isSilent)
  const cut = ask().catch(() => 'cut off')
  await eventually(() => expect(upstream.asked).toHaveLength(before + 1))
  await stack.now().kill()
  expect(await cut).toBe('cut off')
  await stack.startAgain()

  upstream.serve(model, says('back', usage(10, 5)))
  const { held } = await creditsOf(table(), user.id)
  expect(held).toBeGreaterThan(40_000)
  expect((await ask()).status).toBe(429)

  // 15 minutes later.
  const row = await table().get(profile)
  const slots = Object.keys(row ?? {}).filter((name) => name.startsWith('creditsHeld_'))
  await table().update(profile, {
    set: { [`creditsHeld_${Math.floor(Date.now() / 1000) - 1}`]: held },
    remove: slots,
  })
  expect((await ask()).status).toBe(200)
  await eventually(async () =>
    expect(await creditsOf(table(), user.id)).toMatchObject({ balance: 40_000 - 75, held: 0 }),
  )
})
