import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import type { Task, TaskStop } from '#shared/platform/containers/port.ts'
import { settings } from '#tests/support/agents/watchdog.ts'
import { applyTaskState } from '../states/task-state.ts'
import { stepOf } from './look.ts'
import { settleWatchdog } from './settle.ts'
import { agentWith, epoch } from './testing/agents.ts'

/** The next step of the simulation. */
type Turn = 'check' | 'tick' | 'event' | 'answer' | 'lose-answer' | 'warning'

const anyTurns = fc.array(
  fc.constantFrom<Turn>(
    'check',
    'check',
    'tick',
    'event',
    'answer',
    'answer',
    'lose-answer',
    'warning',
  ),
  { minLength: 30, maxLength: 120 },
)

const at = new Date(epoch).toISOString()
const spot: TaskStop = { code: 'SpotInterruption', exitCode: 143, text: 'interrupted', at }
const address = { host: '127.0.0.1', port: 1 }
const silent = { healthy: false, cause: 'its gateway cannot be reached' } as const
const well = { healthy: true, named: true } as const

/** An agent, the state of its tasks at ECS, and the messages between them. */
class Life {
  now = epoch
  agent: Agent
  task: Task
  /** True if no container ever answers. */
  broken = false
  readonly events: Task[] = []
  readonly questions: number[] = []

  constructor() {
    this.task = this.taskOf(1)
    const watchdog = {
      ...newWatchdog(epoch),
      state: 'running',
      generation: 1,
      dueAt: epoch,
    } as const
    this.agent = agentWith({ status: 'running', watchdog: { ...watchdog } })
    this.see(this.task)
  }

  private taskOf(generation: number): Task {
    return {
      arn: `task-${generation}`,
      startedBy: 'agt_1',
      generation,
      status: 'RUNNING',
      health: 'UNKNOWN',
      version: 1,
      address,
      startedAt: new Date(this.now).toISOString(),
      stop: undefined,
    }
  }

  get isLost(): boolean {
    return this.task.stop === spot
  }

  /** The host disappears: ECS knows it immediately, and its event comes late or never. */
  lose(): void {
    this.task = { ...this.task, status: 'STOPPED', version: 9, address: undefined, stop: spot }
    this.events.push(this.task)
  }

  /** Spot announces the loss two minutes ahead, and the container must stop immediately. */
  warn(): void {
    this.task = { ...this.task, version: 5, stopCode: spot.code }
    this.events.push(this.task)
  }

  private see(task: Task): void {
    const { agent, change } = applyTaskState(this.agent, task, this.now)
    this.agent = change === 'none' ? agent : this.settled(agent)
  }

  private settled(agent: Agent, event?: Parameters<typeof settleWatchdog>[3]): Agent {
    const { agent: next, effects } = settleWatchdog(agent, settings, this.now, event)
    for (const { type } of effects)
      if (type === 'observe') this.questions.push(next.watchdog.askedAt ?? 0)
    if (next.generation === agent.generation) return next
    this.task = this.taskOf(next.generation)
    this.events.length = 0
    return this.settled(applyTaskState(next, this.task, this.now).agent)
  }

  check(): void {
    const { dueAt } = this.agent.watchdog
    if (dueAt === null) return
    this.now = Math.max(this.now, dueAt)
    const answers =
      this.task.status === 'RUNNING' && this.task.stopCode === undefined && !this.broken
    this.agent = this.settled(
      this.agent,
      stepOf(settings, this.agent, answers ? well : silent, this.now),
    )
  }

  take(turn: Turn): void {
    if (turn === 'check') this.check()
    if (turn === 'tick') {
      this.now += 60_000
      this.check()
    }
    if (turn === 'event') {
      const event = this.events.shift()
      if (event !== undefined) this.see(event)
    }
    if (turn === 'lose-answer') this.questions.shift()
    if (turn === 'warning' && this.task.stopCode === undefined && !this.isLost) this.warn()
    if (turn === 'answer') this.answer()
  }

  answer(): void {
    const askedAt = this.questions.shift()
    if (askedAt === undefined) return
    this.see(this.task)
    if (this.task.status === 'RUNNING' && this.agent.taskArn === this.task.arn)
      this.agent = { ...this.agent, seenUp: askedAt }
  }

  /** Delivers everything in time until a repair has started the container of this attempt. */
  untilRepair(attempt: number): void {
    this.broken = true
    for (let n = 0; n < 100; n++) {
      const { attempts, repair } = this.agent.watchdog
      if (attempts === attempt && repair === 'starting') return
      this.check()
      this.answer()
    }
    throw new Error(`there was no attempt ${attempt}`)
  }
}

describe.each([1, 2])('an agent whose machine is lost in attempt %i of a repair', (attempt) => {
  it('is not given up because of the loss, and the attempt is not counted, in any order of events', () => {
    fc.assert(
      fc.property(anyTurns, fc.boolean(), (turns, warned) => {
        const life = new Life()
        life.untilRepair(attempt)
        const { generation } = life.agent
        life.broken = false
        if (warned) life.warn()
        else life.lose()
        for (const turn of turns.filter((one) => one !== 'warning')) {
          life.take(turn)
          const { watchdog } = life.agent
          expect(watchdog.state).not.toBe('crash_loop')
          if (life.agent.generation === generation && watchdog.state === 'repairing')
            expect(watchdog).toMatchObject({ attempts: attempt, repair: 'starting' })
        }
        // The next requests find the tasks that were lost until then.
        if (life.agent.generation === generation && !life.isLost) life.lose()
        for (let n = 0; n < 20; n++) {
          life.check()
          life.answer()
        }
        expect(life.agent.watchdog).toMatchObject({ state: 'running', attempts: 0 })
        expect(life.agent.generation).toBe(generation + 1)
      }),
      { numRuns: 500 },
    )
  })
})

it('with any message lost or late, a healthy agent that loses machine after machine is never given up', () => {
  fc.assert(
    fc.property(anyTurns, fc.array(fc.nat(6), { minLength: 1 }), (turns, gaps) => {
      const life = new Life()
      let next = 0
      for (const turn of turns) {
        if (next-- <= 0 && !life.isLost) {
          life.lose()
          next = gaps[life.agent.generation % gaps.length] ?? 0
        }
        life.take(turn)
        expect(['crash_loop', 'repairing']).not.toContain(life.agent.watchdog.state)
      }
    }),
    { numRuns: 500 },
  )
})

it('a broken agent is given up after its attempts, in any order of events', () => {
  fc.assert(
    fc.property(anyTurns, (turns) => {
      const life = new Life()
      life.broken = true
      for (const turn of turns.filter((one) => one !== 'warning')) life.take(turn)
      for (let n = 0; n < 60; n++) {
        life.check()
        life.answer()
      }
      expect(life.agent.watchdog).toMatchObject({
        state: 'crash_loop',
        attempts: settings.WATCHDOG_MAX_REPAIR_ATTEMPTS,
      })
      // Exactly one start per attempt.
      expect(life.agent.generation).toBe(1 + settings.WATCHDOG_MAX_REPAIR_ATTEMPTS)
    }),
    { numRuns: 500 },
  )
})
