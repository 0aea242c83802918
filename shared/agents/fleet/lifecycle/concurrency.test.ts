import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Agent, locatorKey } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { platformsImage } from '#shared/agents/record/image/platforms.ts'
import { recipeOf } from '#shared/agents/record/recipe.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { notFound } from '#shared/platform/errors.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { crashingImage, type Fleet, otherImage, startFleet } from '#tests/support/agents/fleet.ts'
import { watched } from '#tests/support/agents/watched-fleet.ts'
import { trusted } from '#tests/support/platform/context.ts'
import { changeConfig } from '../config/change.ts'
import { deleteAgent } from '../delete.ts'
import { targetImage } from '../image/target-image.ts'
import { updateImage } from '../image/update.ts'
import { rotateToken } from '../token/rotate.ts'
import { reconcile } from '../watchdog/reconcile.ts'
import { restartAgent } from './restart.ts'
import { startAgent } from './start.ts'
import { stopAgent } from './stop.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())

type Verb = 'start' | 'stop' | 'restart' | 'config' | 'token' | 'update' | 'bad-update'

/** Concurrent actions of people, and the faults in the delivery of their messages. */
interface Round {
  verbs: Verb[]
  mail: ('delivered' | 'lost' | 'doubled' | 'reversed')[]
}

const verb = fc.constantFrom<Verb>(
  'start',
  'stop',
  'restart',
  'config',
  'config',
  'token',
  'update',
  'bad-update',
)
const mail = fc.constantFrom('delivered', 'lost', 'doubled', 'reversed' as const)
const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    verbs: fc.array(verb, { minLength: 1, maxLength: 4 }),
    mail: fc.array(mail, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<Round['mail']>,
  }),
  { minLength: 1, maxLength: 4 },
)

let keys = 0

/** Performs an action of a person who read the agent at the beginning of the round. */
async function act(seen: Agent, what: Verb, told: Map<string, number>): Promise<unknown> {
  const { services } = fleet
  if (what === 'start') return startAgent(services, { agent: seen })
  if (what === 'stop') return stopAgent(services, { agent: seen })
  if (what === 'restart') return restartAgent(services, { agent: seen, reason: 'restart' })
  if (what === 'token')
    return rotateToken(trusted(services, seen.userId ?? undefined), { agentId: seen.id })
  if (what === 'update') return updateImage(services, { agent: seen, image: otherImage })
  if (what === 'bad-update') return updateImage(services, { agent: seen, image: crashingImage })
  const [key, n] = [`key${++keys}`, keys]
  told.set(key, n)
  return changeConfig(services, {
    agent: seen,
    change: { [key]: n, systemPrompt: `Prompt ${n}.` },
    apply: true,
  })
}

/** Loses, repeats and reorders the waiting messages. */
function disturb(mails: Round['mail']): void {
  for (const one of mails) {
    if (one === 'lost') fleet.sent.splice(0, 1)
    if (one === 'doubled') {
      fleet.sent.push(...fleet.sent)
      fleet.events.push(...fleet.events)
    }
    if (one === 'reversed') {
      fleet.sent.reverse()
      fleet.events.reverse()
    }
  }
}

/** Returns true if the container matches the row, or there is no container. */
async function agrees(row: Agent): Promise<boolean> {
  const tasks = await fleet.wantedTasks(row)
  if (row.desired === 'stopped') return tasks.length === 0 && row.taskStatus !== 'RUNNING'
  const settled = row.status === 'running' && row.watchdog.state === 'running'
  return settled && tasks.length === 1 && tasks[0] === row.taskArn
}

it('a deletion concurrent with any other calls leaves nothing', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (history) => {
      fleet.forget()
      const world = watched(fleet)
      const agent = await fleet.started()
      for (const [i, { verbs, mail: mails }] of history.entries()) {
        const observed = (await readAgent(fleet.table, { ...agent, agentId: agent.id })) ?? agent
        const last = i === history.length - 1
        const acts = [
          ...verbs.map((what) => act(observed, what, new Map())),
          ...(last ? [deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })] : []),
        ]
        const outcomes = await Promise.allSettled(acts)
        // A late caller can only get this error.
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toEqual(notFound('Agent'))
        disturb(mails)
        await world.deliver()
      }

      await vi.waitFor(
        async () => {
          await world.deliver()
          const row = await readAgent(fleet.table, { ...agent, agentId: agent.id })
          if (row !== undefined)
            await reconcile({ ...fleet.services, queues: fleet.queues }, row, Date.now() + 60_000)
          expect(row).toBeUndefined()
          expect(await fleet.wantedTasks(agent)).toEqual([])
        },
        { timeout: 45_000, interval: 10 },
      )
      const { items } = await userStore(fleet.table, String(agent.userId)).query({})
      // The owner can restore it for a week.
      const deleted = { sk: `deleted-agent#${agent.id}` }
      // Audit entries are kept.
      const rest = items.filter(({ sk }) => !sk.startsWith('audit'))
      expect(rest).toMatchObject([deleted, { sk: 'profile', agentCount: 0 }])
      expect(await fleet.table.get(locatorKey(agent.id))).toBeUndefined()
    }),
    { numRuns: 10, interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)

it('concurrent calls lose no change, and row and container agree in the end', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (history) => {
      fleet.forget()
      const world = watched(fleet)
      const agent = await fleet.started()
      const reports = new Map<string, number>()
      let { generation, tokenVersion } = agent
      for (const { verbs, mail: mails } of history) {
        const observed = await fleet.row(agent)
        const acts = verbs.map((what) => act(observed, what, reports))
        await Promise.all([...acts, world.deliver()])
        const now = await fleet.row(agent)
        expect(now.generation).toBeGreaterThanOrEqual(generation)
        expect(now.tokenVersion >= tokenVersion).toBe(true)
        ;({ generation, tokenVersion } = now)
        disturb(mails)
        await world.deliver()
      }

      let row = await fleet.row(agent)
      const deadline = Date.now() + 45_000
      while (!(await agrees(row)) && Date.now() < deadline) {
        await world.deliver()
        // The next tick finds lost messages.
        if (fleet.sent.length + fleet.events.length === 0) await world.look(agent, 60)
        row = await fleet.row(agent)
      }
      const agreed = await agrees(row)
      // Adds the row to the output of a failed comparison.
      expect({ agreed, ...(!agreed && { row }) }).toEqual({ agreed: true })

      expect(row.config).toMatchObject(Object.fromEntries(reports))
      expect(row.generation).toBeGreaterThanOrEqual(generation)
      expect(row.image).not.toBe(row.desired === 'running' ? crashingImage : '')
      if (row.desired === 'stopped') return
      const key = String(fleet.consumer.config.WALLET_ENCRYPTION_KEY)
      // After a crash it may use its last healthy settings; its config stays unchanged.
      const { systemPrompt } = recipeOf(row)
      expect(row.image).toBe(targetImage(row, platformsImage(fleet.consumer.config, row.id)))
      expect(await fleet.environmentOf(row)).toMatchObject({
        AGENT_GENERATION: String(row.generation),
        GATEWAY_TOKEN: await gatewayToken(key, row.id, row.tokenVersion),
        ...(systemPrompt !== undefined && { SYSTEM_PROMPT: systemPrompt }),
      })
      await stopAgent(fleet.services, { agent: row })
      await world.until(row, ({ taskStatus }) => taskStatus === 'STOPPED')
    }),
    { numRuns: 12, interruptAfterTimeLimit: 100_000 },
  )
}, 180_000)
