import { afterAll, beforeAll, expect, it } from 'vitest'
import { commit } from '#shared/platform/table/commit.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { deliveryRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { attemptWebhookDelivery } from '#shared/tools/webhook-endpoints/delivery/attempt.ts'
import { tickWebhooks } from '#shared/tools/webhook-endpoints/delivery/tick.ts'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'
import { webhookEndpoints } from '#tests/support/tools/webhook-endpoints.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'

/** `WEBHOOK_EVENTS=10000 WEBHOOK_KILLS=20` runs a large test. */
const size = Number(process.env.WEBHOOK_EVENTS ?? 40)
const maxKills = Number(process.env.WEBHOOK_KILLS ?? 20)

let accounts: Accounts
let hook: Webhook

beforeAll(async () => {
  accounts = await startAccounts()
  hook = await startWebhook()
})
afterAll(() => Promise.all([accounts.close(), hook.close()]))

it('every committed change is delivered under one id, under any kills', async () => {
  const { table } = accounts
  const hooks = webhookEndpoints(table)
  const { id: userId, session } = await accounts.signUp('ada@b.co')
  const endpoint = await hooks.create(session, hook.url, ['run.finished'])
  const random = randomFrom(20_261_122)
  let kills = 0

  /**
   * Runs a function as a process that can be killed at any of its calls.
   * @returns whether it survived
   */
  async function asProcess(run: (reach: ReturnType<typeof lifeOf>) => Promise<unknown>) {
    try {
      await run(lifeOf(random, kills < maxKills))
      return true
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      kills++
      return false
    }
  }

  const change = (i: number) => ({ pk: `user#${userId}`, sk: `change#${i}` })
  const make = (i: number) =>
    asProcess(async (reach) => {
      const mortal = reach(table)
      const events = [{ type: 'run.finished', data: { change: i } }] as const
      const put = { put: change(i), if: 'attribute_not_exists(pk)' }
      const ctx = { table: mortal, queues: reach(hooks.ctx.queues) }
      await commit(mortal, { put, ...(await webhookParts(ctx, userId, events)) })
    })
  for (let i = 0; i < size; i++)
    while (!(await make(i)) && (await table.get(change(i))) === undefined);

  const deliveries = async () => {
    const pk = `user#${userId}`
    const beginsWith = deliveryRows.prefix({ endpointId: endpoint.id })
    const rows = await allItems((from) => table.query({ pk, beginsWith, ...from }))
    return rows.map(deliveryRows.parse)
  }
  /** Runs the tick and the queue's consumers. Each message is delivered twice. */
  const round = async (now: number) => {
    await asProcess((reach) =>
      tickWebhooks({ table: reach(table), queues: reach(hooks.ctx.queues) }, now),
    )
    const messages = hooks.sent.splice(0)
    while (messages.length > 0) {
      const batch = messages.splice(0, 5)
      await asProcess(async (reach) => {
        const ctx = { ...hooks.ctx, table: reach(table), queues: reach(hooks.ctx.queues) }
        const twice = [...batch, ...batch].map(({ message }) =>
          attemptWebhookDelivery(ctx, message, now),
        )
        const failed = (await Promise.allSettled(twice)).find(({ status }) => status === 'rejected')
        if (failed?.status === 'rejected') throw failed.reason
      })
    }
  }
  let now = Date.now() + 60_000
  for (; (await deliveries()).some(({ status }) => status === 'pending'); now += 600_000)
    await round(now)

  expect(kills).toBeGreaterThan(maxKills / 4)
  expect(new Set((await deliveries()).map(({ status }) => status))).toEqual(new Set(['delivered']))
  const reports = new Map<number, Set<unknown>>()
  for (const { text, headers } of hook.posted) {
    const { id, data } = JSON.parse(text) as { id: string; data: { change: number } }
    expect(headers['webhook-id']).toBe(id)
    reports.set(data.change, (reports.get(data.change) ?? new Set()).add(id))
  }
  expect([...reports.keys()].sort((a, b) => a - b)).toEqual(
    Array.from({ length: size }, (_, i) => i),
  )
  expect([...reports.values()].filter((ids) => ids.size !== 1)).toEqual([])
})
