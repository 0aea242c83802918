import { afterAll, beforeAll, expect, it } from 'vitest'
import { monthOf } from '#shared/ai/usage/month.ts'
import { quotaKey } from '#shared/ai/usage/quota/row.ts'
import { plans } from '#shared/money/plans/plans.ts'
import { accountOf, solo } from '#tests/support/ai/callers.ts'
import { startUpstream, type Upstream } from '#tests/support/ai/upstream.ts'
import { creditsOf, grantCredits } from '#tests/support/billing/credits.ts'
import { noQueues } from '#tests/support/platform/message-queue.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import type { Caller } from '../caller.ts'
import { createCatalogue } from '../models/catalogue.ts'
import { createProviders } from '../providers/provider.ts'
import type { Size } from '../usage.ts'
import { hold } from './hold.ts'

let db: TestTable
let upstream: Upstream
beforeAll(async () => {
  db = await startTestTable()
  upstream = await startUpstream()
})
afterAll(async () => {
  await upstream.close()
  await db.close()
})

const log = { info: () => {}, warn: () => {}, error: () => {} }

interface Reserving {
  /** The used tokens of the month. */
  used: number
  creditMicroUsd: number
  size: Size
}

async function reserving(models: string[], { used, creditMicroUsd, size }: Reserving) {
  const userId = await accountOf(db.table, solo)
  await grantCredits(db.table, userId, 50)
  await db.table.put({ ...quotaKey(userId, monthOf(Date.now())), used, committed: used })
  const providers = createProviders({
    AI_BASE_URL: upstream.baseUrl,
    AI_API_KEY: undefined,
    AI_PROVIDERS: undefined,
    AI_SPEAKS: undefined,
    STAND_IN_PROVIDER_URL: undefined,
  })
  const caller: Caller = {
    userId,
    agentId: null,
    plan: plans.solo,
    subscribed: true,
    cap: null,
    agentCap: null,
    spendLimits: [],
    creditMicroUsd,
    byok: {},
  }
  const routes = models.flatMap(providers.routes)
  const context = {
    table: db.table,
    log,
    providers,
    catalogue: createCatalogue(providers),
    timeoutMs: 1000,
    settlements: noQueues,
  }
  const limit = { tokens: 100, isSent: true, fromCaller: true }
  const reserved = hold(context, { caller, plan: plans.solo, routes, sizeAt: () => size, limit })
  return { userId, held: reserved }
}

/** Returns the credits that a call reserves after the month's tokens are used up. */
function onCredits(models: string[]) {
  const size = { inputTokens: 1000, outputTokens: 100 }
  return reserving(models, { used: 2_000_000, creditMicroUsd: 5_000_000, size })
}

it('a call that is billed by units reserves tokens of the quota, and is refused without any', async () => {
  const size = { inputTokens: 0, outputTokens: 0, units: { 'image high 1024x1024': 2, second: 3 } }
  const first = await reserving(['acme/flux'], { used: 0, creditMicroUsd: 0, size })
  const { reservation } = await first.held
  expect(reservation).toMatchObject([{ amounts: { tokens: 40_150 } }])
  const full = await reserving(['acme/flux'], { used: 2_000_000, creditMicroUsd: 0, size })
  await expect(full.held).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
})

it('on credits, a model without a known price is rejected', async () => {
  const { userId, held } = await onCredits(['acme/new'])
  await expect(held).rejects.toMatchObject({
    code: 'MODEL_UNPRICED',
    message:
      'The quota is used up, and acme/new has no known price: use a model with a known price, or wait for the next month',
  })
  expect((await creditsOf(db.table, userId)).held).toBe(0)
})

it('on credits, a model without a known price is skipped for its fallbacks, and the most expensive fallback is reserved', async () => {
  const { userId, held } = await onCredits(['acme/new', 'openai/gpt-4o-mini', 'openai/gpt-4o'])
  const { routes } = await held
  expect(routes.map(({ id }) => id)).toEqual(['openai/gpt-4o-mini', 'openai/gpt-4o'])
  expect((await creditsOf(db.table, userId)).held).toBe(3500)
})
