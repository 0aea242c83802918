import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { type Downgrades, startDowngrades } from '#tests/support/billing/downgrades.ts'
import { executeTurn } from './execute.ts'
import { turnRows } from './rows.ts'

let on: Downgrades
beforeAll(async () => {
  on = await startDowngrades()
  const { services } = on.fleet
  services.config = { ...services.config, deployed: true }
})
afterAll(() => on.fleet.close())

it('a payer learns nothing of the owner’s other agents if the paid agent cannot be woken', async () => {
  const userId = await on.person('collective')
  await on.plan(userId, 'collective')
  await on.apply(userId)
  for (let n = 0; n < 5; n++)
    await on.call('POST', '/api/agents/provision', { user: userId, body: { name: `Secret ${n}` } })
  const { body } = await on.call('GET', '/api/agents', { user: userId })
  const { agents } = body as { agents: { id: string; status: string }[] }
  const asleep = agents.find(({ status }) => status === 'stopped')
  expect(asleep).toBeDefined()

  const { table, services } = on.fleet
  const turnId = newSeed()
  const turn = { agentId: asleep?.id ?? '', userId, message: 'Hello', state: 'asked' as const }
  const until = Date.now() + 20_000
  await table.put(turnRows.put({ turnId }, { ...turn, until, expiresAt: until }))
  const ctx = { ...services, table, log: createLog(), requestId: 'req_1', seed: newSeed() }
  await executeTurn({ ...ctx, encryptionKey: '00'.repeat(32) } as never, { turnId })
  const item = await table.get(turnRows.key({ turnId }))
  expect(item).toMatchObject({ state: 'failed', failure: 'it cannot be woken now' })
})
