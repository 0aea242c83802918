import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireAgent } from '#shared/agents/record/find.ts'
import { recordTraffic } from '#shared/agents/traffic/record.ts'
import { createLog } from '#shared/platform/log.ts'
import { startWebAgents } from '#tests/support/agents/web-agents.ts'
import { noQueues } from '#tests/support/platform/message-queue.ts'

let on: Awaited<ReturnType<typeof startWebAgents>>

beforeAll(async () => {
  on = await startWebAgents()
})
afterAll(() => on.fleet.close())

it('the traffic is shown only to the owner, with the limits of the plan', async () => {
  const [user, other] = [await on.person(), await on.person()]
  const { id } = await on.platformOf(user).agents.create({ name: 'Ada' })
  const { table } = on.fleet
  const agent = await requireAgent({ table }, { agentId: id, owner: user })
  const shown = await on.platformOf(user).agents.traffic(id)
  expect(shown).toMatchObject({ sentBytes: null, printedBytes: null })
  expect(shown.mostBytes).toBeGreaterThan(shown.includedBytes)
  const mailer = { send: async () => {} }
  const ctx = { table, queues: noQueues, mailer, log: createLog(), webUrl: 'https://web.example' }
  await recordTraffic(ctx, { agent, traffic: { sent: 5_000_000, printed: 200_000 } })
  expect(await on.platformOf(user).agents.traffic(id)).toMatchObject({
    sentBytes: 5_000_000,
    printedBytes: 200_000,
  })
  expect((await on.call('GET', `/api/agents/${id}/traffic`, { user: other })).status).toBe(404)
})
