import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { taskPages } from '#shared/platform/containers/all-tasks.ts'
import { type Fleet, type Sent, startFleet } from '#tests/support/agents/fleet.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { startAgent } from '../lifecycle/start.ts'
import { stopAgent } from '../lifecycle/stop.ts'
import { isUp } from '../states/task-state.ts'
import type { TaskEvent } from '../tasks/topic.ts'
import { waitingContainers } from './waiting.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ settings: { WARM_CONTAINERS: 'label=2' } })
})
afterAll(() => fleet.close())

/** The possible steps of a pool and its agents, which run in any order. */
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start'), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop'), at: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('round'), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end'), at: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deliver'), at: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat'), at: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tell'), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('turn'), at: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill'), at: fc.nat(3) }) },
)

/** A pool and the four agents that use it. */
class Life {
  readonly agents: Agent[] = []
  readonly #handed: Sent[] = []
  readonly #told: TaskEvent[] = []

  async does({ kind, at }: { kind: string; at: number }): Promise<void> {
    if (kind === 'start') await this.#start(at)
    if (kind === 'stop') await this.#stop(at)
    // A round with another pool size than the one before.
    if (kind === 'round') await fleet.keepWarm({ WARM_CONTAINERS: { label: at } })
    if (kind === 'end') await this.#end(at)
    if (kind === 'deliver') await this.#deliver()
    if (kind === 'repeat') await this.#repeat(at)
    if (kind === 'tell') this.#tell(at)
    if (kind === 'turn') fleet.events.reverse()
    if (kind === 'kill') await this.#kill(at)
  }

  async #start(at: number): Promise<void> {
    const agent = this.agents[at]
    if (agent === undefined) this.agents.push(await fleet.started({ sleepAfterMinutes: null }))
    else await startAgent(fleet.services, { agent: await fleet.row(agent) })
  }

  async #stop(at: number): Promise<void> {
    const agent = this.agents[at]
    if (agent !== undefined) await stopAgent(fleet.services, { agent: await fleet.row(agent) })
  }

  /** AWS reclaims a waiting container. */
  async #end(at: number): Promise<void> {
    // An agent whose container has already ended needs a watchdog, which this test does not have.
    await this.#deliver()
    const arn = (await waitingContainers(fleet.table, 'label'))[at]?.taskArn
    if (arn === undefined) return
    await fleet.containers.stop(arn, 'AWS takes it back')
    await eventually(async () => {
      await this.#deliver()
      const remaining = await waitingContainers(fleet.table, 'label')
      expect(remaining.find(({ taskArn, address }) => taskArn === arn && address)).toBeUndefined()
    })
  }

  async #deliver(): Promise<void> {
    this.#handed.push(...fleet.sent)
    this.#told.push(...fleet.events)
    await fleet.deliver()
  }

  /** Delivers a message again, no matter how late. */
  async #repeat(at: number): Promise<void> {
    const again = this.#handed.at(-1 - at)
    if (again !== undefined) fleet.sent.push(again)
  }

  /** Delivers an event again, no matter how late, and before earlier events. */
  #tell(at: number): void {
    const again = this.#told.at(-1 - at)
    if (again !== undefined) fleet.events.unshift(again)
  }

  /** Kills the consumer after it has started, assigned or sent something. The message is delivered again. */
  async #kill(at: number): Promise<void> {
    const message = fleet.sent.find(({ queue }) => queue === 'provisioning')
    if (message === undefined) return
    const die = () => Promise.reject(new Error('killed'))
    const { containers } = fleet
    const run: typeof containers.run = async (request) => {
      await containers.run(request)
      return die()
    }
    const dying = at % 2 === 0 ? { containers: { ...containers, run } } : {}
    const queues = { ...fleet.queues, send: die }
    await fleet
      .consume(message.body, { ...fleet.consumer, queues, ...dying })
      .catch((error: Error) => expect(error.message).toBe('killed'))
  }

  /** Delivers everything and brings the pool to its size. */
  async settle(): Promise<void> {
    for (const agent of this.agents)
      if ((await fleet.row(agent)).desired === 'running') await fleet.untilRunning(agent)
    await eventually(async () => {
      await fleet.deliver()
      await fleet.keepWarm()
      const waiting = await waitingContainers(fleet.table, 'label')
      expect(waiting.filter(({ by, address }) => by && address)).toHaveLength(2)
      const rows = await Promise.all(this.agents.map(fleet.row))
      const wanted = rows.filter(({ desired }) => desired === 'running')
      const arns = [...waiting, ...wanted].map(({ taskArn }) => taskArn)
      // Each container belongs to at most one agent, and each agent has one container.
      expect((await up()).toSorted()).toEqual(arns.toSorted())
      expect(new Set(arns).size).toBe(arns.length)
    })
  }

  async end(): Promise<void> {
    for (const agent of this.agents)
      await stopAgent(fleet.services, { agent: await fleet.row(agent) })
    await eventually(async () => {
      await fleet.deliver()
      await fleet.keepWarm({ WARM_CONTAINERS: undefined })
      expect(await up()).toEqual([])
    })
  }
}

async function up(): Promise<(string | undefined)[]> {
  const arns = []
  for await (const page of taskPages('fleet', fleet.endpoint)())
    arns.push(...page.filter(({ status }) => isUp(status)).map(({ arn }) => arn))
  return arns
}

it('each agent has one container and each container one agent, in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 8, maxLength: 20 }), async (happenings) => {
      const life = new Life()
      for (const one of happenings) await life.does(one)
      await life.settle()
      await life.end()
    }),
    { numRuns: 6, endOnFailure: true },
  )
}, 300_000)
