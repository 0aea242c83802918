import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Fleet, startFleet } from '../../../tests/support/fleet.ts'
import { userStore } from '../../platform/table/user-store.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import { restartAgent } from '../lifecycle/restart.ts'
import { credentialsKey, readCredentials } from './row.ts'
import { setCredential } from './set.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

const ctx = () => ({
  table: fleet.table,
  encryptionKey: fleet.consumer.config.WALLET_ENCRYPTION_KEY,
})

async function keep(agent: Agent, key: string, value: string | null): Promise<void> {
  await setCredential(ctx(), await fleet.row(agent), { key, value })
}

async function restarted(agent: Agent): Promise<Agent> {
  const { generation } = await restartAgent(fleet.services, await fleet.row(agent), 'restart')
  return fleet.until(agent, (row) => row.status === 'running' && row.generation === generation)
}

it('is there from the next start on', async () => {
  const agent = await fleet.started()
  await keep(agent, 'GITHUB_TOKEN', 'ghp_ "quoted" \n é')
  await fleet.untilRunning(agent)
  expect(await fleet.environmentOf(agent)).toMatchObject({ GITHUB_TOKEN: 'ghp_ "quoted" \n é' })
  await keep(agent, 'GITHUB_TOKEN', 'newer')
  await keep(agent, 'OTHER', 'value')
  expect(await fleet.environmentOf(agent)).not.toHaveProperty('OTHER')
  await restarted(agent)
  const then = await fleet.environmentOf(agent)
  expect(then).toMatchObject({ GITHUB_TOKEN: 'newer', OTHER: 'value' })
  await keep(agent, 'OTHER', null)
  await restarted(agent)
  expect(await fleet.environmentOf(agent)).not.toHaveProperty('OTHER')
})

it('never takes the place of the platform’s own, whatever a row says', async () => {
  const agent = await fleet.started()
  await keep(agent, 'KEY', 'value')
  const { credentials, revision } = await readCredentials(fleet.table, agent)
  const stolen = { ...credentials, GATEWAY_TOKEN: credentials.KEY, NODE_OPTIONS: credentials.KEY }
  const store = userStore(fleet.table, String(agent.userId))
  await store.put(credentialsKey(agent.id), { credentials: stolen, revision })
  await fleet.untilRunning(agent)
  const environment = await fleet.environmentOf(agent)
  expect(environment).not.toHaveProperty('NODE_OPTIONS')
  expect(environment.GATEWAY_TOKEN).not.toBe('value')
})

it('does not open for another agent, which is not started then', async () => {
  const [ada, eve] = [await fleet.started(), await fleet.started()]
  await keep(ada, 'KEY', 'value')
  const row = await readCredentials(fleet.table, ada)
  await userStore(fleet.table, String(eve.userId)).put(credentialsKey(eve.id), { ...row })
  const refused = await fleet.until(eve, ({ status }) => status === 'error')
  expect(refused.stopReason?.text).toBe('KEY cannot be opened any more: set it again')
})

it('is not kept for an agent that is deleted', async () => {
  const agent = await fleet.started()
  await changeAgent(fleet.table, agent, (current) => ({ ...current, deleting: true }))
  await expect(keep(agent, 'KEY', 'value')).rejects.toMatchObject({ kind: 'not-found' })
  expect(await readCredentials(fleet.table, agent)).toEqual({ credentials: {}, revision: 0 })
})
