import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { newSeed } from '#shared/platform/ids.ts'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'
import { entity } from '#shared/platform/table/entity.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { dueIndex } from './due-index.ts'
import { counter, type Fence, holder } from './fence.ts'
import { workItems } from './items.ts'
import { LeaseLost, unlessLeaseLost } from './lease-lost.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const jobRows = entity({
  name: 'job',
  pk: 'job#{id}',
  sk: 'job',
  gsi1: { pk: 'jobs#{shard}', sk: '{due}#{id}' },
  schema: () =>
    z.object({
      id: z.string(),
      turn: z.number(),
      heldBy: z.string().optional(),
      heldUntil: z.number().optional(),
    }),
})
type Job = z.output<ReturnType<typeof jobRows.declared.schema>>

const jobs = topic('notices', () => z.object({ id: z.string(), turn: z.number().optional() }))
type Message = MessageOf<typeof jobs>

const leaseMs = 30_000

/** Longer than every wait of the work, so that unfinished work is due. */
const longMs = 1_000_000

function jobWork(fence: Fence<Job>, message: (job: Job) => Message) {
  return workItems({
    rows: jobRows,
    key: ({ id }: Job) => jobRows.key({ id }),
    id: ({ id }) => id,
    due: dueIndex('jobs', 2),
    fence,
    topic: jobs,
    message,
    leaseMs,
    lostMs: 10_000,
  })
}

const kinds = {
  'a counter': jobWork(
    counter('turn', ({ turn }) => turn),
    ({ id, turn }) => ({ id, turn: turn + 1 }),
  ),
  'a holder': jobWork(holder('heldBy', 'heldUntil'), ({ id }) => ({ id })),
}

const steps = [
  'deliver',
  'deliver twice at once',
  'claim and finish at once',
  'renew',
  'save',
  'stop',
  'stop, killed before the message',
  'finish',
  'kill',
  'tick',
  'tick, killed before the messages',
  'wait',
  'wait for the lease',
] as const

interface Step {
  step: (typeof steps)[number]
  pick: number
}

/** A job with its messages and the processes that claimed it, including outdated ones. */
class World {
  readonly #id = newSeed()
  readonly #work: (typeof kinds)[keyof typeof kinds]
  readonly #messages = recorded<Message>()
  readonly #ctx
  #now = 1_700_000_000_000
  #holders: Job[] = []
  #latest: Job | undefined
  #isFinished = false

  constructor(work: (typeof kinds)[keyof typeof kinds]) {
    this.#work = work
    this.#ctx = { table: database.table, queues: this.#messages.queues }
  }

  async begin(): Promise<void> {
    const id = this.#id
    const job = { id, turn: 0 }
    await this.#ctx.table.put(jobRows.put({ id }, job, dueIndex('jobs', 2).at(id, this.#now)))
  }

  async take({ step, pick }: Step): Promise<void> {
    const { waiting } = this.#messages
    const message = waiting[pick % (waiting.length || 1)]
    const reservation = this.#holders[pick % (this.#holders.length || 1)]
    if (step === 'wait') this.#now += pick % leaseMs
    else if (step === 'wait for the lease') this.#now += leaseMs + 1
    else if (step.startsWith('tick')) await this.#tick(step !== 'tick')
    else if (step === 'deliver') await this.#deliver(message)
    else if (step === 'deliver twice at once') {
      const claimed = await Promise.all([this.#claim(message), this.#claim(message)])
      expect(claimed.filter(Boolean).length).toBeLessThan(2)
      this.#began(claimed[0] ?? claimed[1])
    } else if (reservation === undefined) return
    else if (step === 'kill') this.#holders = this.#holders.filter((one) => one !== reservation)
    else if (step === 'claim and finish at once') {
      const current = this.#isCurrent(reservation)
      const [claimed, finished] = await Promise.all([
        this.#claim(message),
        unlessLeaseLost(this.#finish(reservation)),
      ])
      expect(claimed !== undefined && finished).toBe(false)
      if (claimed === undefined) expect(finished).toBe(current)
      this.#isFinished ||= finished
      this.#began(claimed)
    } else await this.#write(step, reservation)
  }

  /** Loses every message, and ticks until the work is finished; then no process can write, and no message claims it. */
  async end(): Promise<void> {
    const late = this.#messages.waiting.splice(0)
    for (let round = 0; round < 3 && !this.#isFinished; round++) {
      this.#now += longMs
      await this.#tick(false)
      for (const message of this.#messages.waiting) {
        const claimed = await this.#deliver(message)
        if (claimed !== undefined) await this.#write('finish', claimed)
      }
    }
    expect(this.#isFinished).toBe(true)
    for (const reservation of this.#holders)
      for (const step of ['renew', 'save', 'stop', 'finish'] as const)
        await this.#write(step, reservation)
    this.#now += longMs
    expect(await this.#work.tick(this.#ctx, this.#now)).toBe(0)
    for (const message of [...late, ...this.#messages.waiting])
      expect(await this.#deliver(message)).toBeUndefined()
    expect(await this.#ctx.table.get(this.#effects)).toMatchObject({ finished: 1 })
  }

  get #effects() {
    return { pk: `job#${this.#id}`, sk: 'effects' }
  }

  async #deliver(message: Message | undefined): Promise<Job | undefined> {
    return this.#began(await this.#claim(message))
  }

  async #claim(message: Message | undefined): Promise<Job | undefined> {
    const row = await this.#ctx.table.get(jobRows.key({ id: this.#id }))
    if (row === undefined || message === undefined) return undefined
    return this.#work.claim(this.#ctx, jobRows.parse(row), { message, now: this.#now })
  }

  #began(claimed: Job | undefined): Job | undefined {
    if (claimed === undefined) return undefined
    expect(this.#isFinished).toBe(false)
    this.#latest = claimed
    this.#holders.push(claimed)
    return claimed
  }

  #isCurrent(held: Job): boolean {
    return held === this.#latest && !this.#isFinished
  }

  #finish(held: Job): Promise<unknown> {
    const effects = { update: this.#effects, add: { finished: 1 } }
    return this.#work.finish(this.#ctx, held, {}, { effects })
  }

  async #tick(isKilled: boolean): Promise<void> {
    await this.#untilKilled(isKilled, () => this.#work.tick(this.#ctx, this.#now))
  }

  /** Checks that only the latest holder can write. */
  async #write(step: Step['step'], held: Job): Promise<void> {
    const writes: Partial<Record<Step['step'], () => Promise<unknown>>> = {
      renew: () => this.#work.renew(this.#ctx, held, { now: this.#now }),
      save: () => this.#work.save(this.#ctx, held, { set: { saved: this.#now } }),
      finish: () => this.#finish(held),
    }
    const stop = () => this.#work.later(this.#ctx, held, 5, { now: this.#now })
    const isCurrent = this.#isCurrent(held)
    const outcome = this.#untilKilled(step.includes('killed'), writes[step] ?? stop)
    if (!isCurrent) return expect(outcome).rejects.toThrow(LeaseLost)
    await outcome
    if (step === 'finish') this.#isFinished = true
    else if (step.startsWith('stop')) this.#holders = this.#holders.filter((one) => one !== held)
  }

  async #untilKilled(isKilled: boolean, act: () => Promise<unknown>): Promise<void> {
    const { state } = this.#messages
    state.isKilled = isKilled
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    } finally {
      state.isKilled = false
    }
  }
}

describe.each(Object.entries(kinds))('work that is fenced by %s', (_, work) => {
  it('is finished exactly once, and a holder whose lease was lost never writes', async () => {
    const step = fc.record({ step: fc.constantFrom(...steps), pick: fc.nat(1_000_000) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (taken) => {
        const world = new World(work)
        await world.begin()
        await world.take({ step: 'tick', pick: 0 })
        for (const each of taken) await world.take(each)
        await world.end()
      }),
      { numRuns: 100 },
    )
  })
})
