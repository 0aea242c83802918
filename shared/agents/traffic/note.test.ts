import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newUser, profileKey } from '#shared/accounts/users/user.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { startWatchdog, type TestWatchdog } from '#tests/support/agents/watchdog.ts'
import { type Agent, agentKey } from '../record/agent.ts'
import { recordTraffic, trafficCode } from './record.ts'
import { trafficOfToday } from './today.ts'

const start = Date.UTC(2026, 0, 1)
const gigabyte = 1_000_000_000
const minute = 60_000
let dog: TestWatchdog
let mails: Mail[] = []

beforeAll(async () => {
  dog = await startWatchdog()
  const mailer = { send: async (mail: Mail) => void mails.push(mail) }
  const ctx = { ...dog.ctx, mailer, log: createLog(), webUrl: 'https://web.example' }
  dog.ctx.noteTraffic = (agent, traffic, now) => recordTraffic(ctx, { agent, traffic }, now)
  const profile = newUser({ id: 'usr_1', email: 'ada@b.co', name: 'Ada', referralCode: 'A' })
  await userStore(dog.ctx.table, 'usr_1').put(profileKey, { ...profile })
})
afterAll(() => dog.close())
beforeEach(() => {
  mails = []
  dog.health.headers = {}
  dog.taken()
})

/** Checks an agent whose container has sent and printed this many bytes since its start. */
async function look(agent: Agent, at: number, sent?: number, printed?: number): Promise<Agent> {
  dog.health.headers = {
    ...(sent !== undefined && { 'agent-sent-bytes': String(sent) }),
    ...(printed !== undefined && { 'agent-printed-bytes': String(printed) }),
  }
  const { id: agentId, userId } = agent
  await dog.deliver({ userId, agentId, dueAt: null, look: at }, at)
  return dog.read(agent)
}

const today = (agent: Agent, at: number) => trafficOfToday(dog.ctx, { agent }, at)

it('sums up what each container has sent and printed, day by day', async () => {
  const agent = await dog.runningAgent(start, 0, { plan: 'label' })
  const [first, next] = [start + 10 * minute, start + 86_400_000 + minute]
  await look(agent, first, 50_000_000, 300_000)
  await look(agent, first + 2 * minute, 70_000_000, 300_000)
  expect(await today(agent, first)).toEqual({
    date: '2026-01-01',
    sentBytes: 70_000_000,
    printedBytes: 300_000,
    includedBytes: gigabyte,
    mostBytes: 5 * gigabyte,
  })
  await look(agent, next, 75_000_000, 500_000)
  expect(await today(agent, next)).toMatchObject({ sentBytes: 5_000_000, printedBytes: 200_000 })
  expect(mails).toEqual([])
})

it.each([
  ['does not report its traffic', {}],
  ['reports an invalid number', { 'agent-sent-bytes': '-1', 'agent-printed-bytes': '1e9' }],
  ['reports an impossible number', { 'agent-sent-bytes': '9'.repeat(16) }],
])('traffic is unknown if the container %s', async (_, headers) => {
  const agent = await dog.runningAgent(start, 0, { plan: 'label' })
  dog.health.headers = headers
  const { id: agentId, userId } = agent
  const at = start + 10 * minute
  await dog.deliver({ userId, agentId, dueAt: null, look: at }, at)
  expect(await today(agent, at)).toMatchObject({ sentBytes: null, printedBytes: null })
})

it('traffic above the plan’s included amount notifies the owner once a day', async () => {
  const agent = await dog.runningAgent(start, 0, { plan: 'label' })
  const at = start + 10 * minute
  for (const [n, sent] of [0.9, 1.1, 1.2, 1.3].entries())
    await look(agent, at + 2 * n * minute, sent * gigabyte)
  expect(mails.map(({ to, subject, once }) => [to, subject, once])).toEqual([
    ['ada@b.co', 'Ada sends a lot of data', `traffic#${agent.id}#2026-01-01`],
  ])
  expect(await dog.read(agent)).toMatchObject({ status: 'running' })
  await look(agent, at + 86_400_000, 2.5 * gigabyte)
  expect(mails).toHaveLength(2)
})

it('traffic above the plan’s maximum stops the agent with the reason, even after a restart', async () => {
  const agent = await dog.runningAgent(start, 0, { plan: 'label' })
  const stopped = await look(agent, start + 10 * minute, 5 * gigabyte)
  expect(stopped).toMatchObject({
    status: 'stopped',
    desired: 'stopped',
    stopReason: { code: trafficCode, text: expect.stringContaining('5 GB') },
  })
  expect(dog.taken('provisioning')).toMatchObject([
    { message: { kind: 'stop', agentId: agent.id, taskArn: agent.taskArn } },
  ])
  const { watchdog } = agent
  const again = { status: 'running', desired: 'running', generation: 2, watchdog } as const
  const { userId, id: agentId } = agent
  await dog.ctx.table.update(agentKey({ userId, agentId }), { set: again, add: { revision: 1 } })
  expect(await look(agent, start + 20 * minute, 10)).toMatchObject({ status: 'stopped' })
})

it('excludes what a container has sent before its first check, if it started on an earlier day', async () => {
  const startedAt = new Date(start - 86_400_000).toISOString()
  const agent = await dog.runningAgent(start, 0, { plan: 'label', startedAt })
  const at = start + 10 * minute
  expect(await look(agent, at, 6 * gigabyte)).toMatchObject({ status: 'running' })
  expect(await today(agent, at)).toMatchObject({ sentBytes: null })
  await look(agent, at + 2 * minute, 6 * gigabyte + 5_000_000)
  expect(await today(agent, at)).toMatchObject({ sentBytes: 5_000_000 })
})

it('traffic of a container that cannot measure its network is its output', async () => {
  const agent = await dog.runningAgent(start)
  await look(agent, start + 10 * minute, undefined, 200_000)
  expect(await today(agent, start)).toMatchObject({ sentBytes: null, printedBytes: 200_000 })
})

it.each([
  ['that an operator started', { startedByOperator: true as const }],
  ['of a larger plan', { plan: 'network' as const }],
])('stops no agent %s', async (_, fields) => {
  const agent = await dog.runningAgent(start, 0, { plan: 'label', ...fields })
  expect(await look(agent, start + 10 * minute, 6 * gigabyte)).toMatchObject({ status: 'running' })
})

it('counts each byte at most once, for repeated and late checks', async () => {
  const container = fc.array(fc.nat(30_000_000), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(container, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat(2)),
      async (containers, repeats) => {
        const agent = await dog.runningAgent(start, 0, { plan: 'network' })
        const observed: { agent: Agent; sent: number }[] = []
        for (const [i, steps] of containers.entries()) {
          let sent = 0
          for (const step of steps) {
            sent += step
            observed.push({ agent: { ...agent, generation: i + 1 }, sent })
            // The last check again, and an earlier one.
            for (const one of observed.slice(-1 - Number(repeats.next().value)))
              await dog.ctx.noteTraffic?.(one.agent, { sent: one.sent, printed: null }, start)
            await dog.ctx.noteTraffic?.(observed.at(-1)!.agent, { sent, printed: null }, start)
          }
        }
        const truth = containers.flat().reduce((sum, step) => sum + step, 0)
        const { sentBytes } = await today(agent, start)
        expect(sentBytes ?? 0).toBeLessThanOrEqual(truth)
        expect(sentBytes ?? 0).toBeGreaterThan(truth - containers.length * 1_000_000)
      },
    ),
    { numRuns: 25 },
  )
})
