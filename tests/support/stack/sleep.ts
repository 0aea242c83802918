import { expect } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { eventually } from '../clock/eventually.ts'
import type { TestUser } from '../http/client.ts'
import { enginesOf } from './engines.ts'
import { processesOf } from './processes.ts'

interface SleepStack {
  dataDir: string
  endpoints: { sqs: string; ecs: string }
}

/** Makes the agents of a stack sleep without waiting for the time that they must be idle. */
export function sleepOf(stack: () => SleepStack, table: () => Table) {
  const engines = enginesOf(() => stack().endpoints)

  async function rowOf(user: TestUser, id: string): Promise<Agent> {
    const row = await readAgent(table(), { userId: user.id, agentId: id })
    if (row === undefined) throw new Error(`${id} is gone`)
    return row
  }

  /**
   * Makes the agent's next check due, and waits for it: a check that finds the agent healthy resets earlier failures.
   * The watchdog's own check or tick may run at any moment, so one write sets everything that this check needs.
   */
  async function look(user: TestUser, id: string, before: Partial<Agent> = {}): Promise<void> {
    const dueAt = Date.now()
    await changeAgent(
      { table: table() },
      {
        agent: await rowOf(user, id),
        decide: (agent) => ({
          ...agent,
          ...before,
          watchdog: { ...agent.watchdog, dueAt, failures: 1 },
        }),
      },
    )
    await engines.sendBatch('checks', [{ agents: [{ userId: user.id, agentId: id, dueAt }] }])
    await eventually(async () => expect((await rowOf(user, id)).watchdog.failures).toBe(0))
  }

  /** Makes an agent look idle for ten minutes or the given ones, and runs a check. */
  async function letIdle(user: TestUser, id: string, minutes = 10): Promise<void> {
    // A check may report the agent as running before its own event arrives, which then updates its start time.
    await eventually(async () =>
      expect(await rowOf(user, id)).toMatchObject({ taskHealth: 'HEALTHY' }),
    )
    const longAgo = new Date(Date.now() - minutes * 60_000).toISOString()
    await look(user, id, { startedAt: longAgo, lastActiveAt: longAgo, busyUntil: undefined })
  }

  return {
    rowOf,
    look,
    letIdle,
    /** Lets an agent with `sleepAfterMinutes` fall asleep. */
    async fallAsleep(user: TestUser, id: string, minutes?: number): Promise<void> {
      await letIdle(user, id, minutes)
      await eventually(() => expect(processesOf(stack().dataDir, id)).toEqual([]))
      await eventually(async () => expect(await rowOf(user, id)).toMatchObject({ asleep: true }))
    },
  }
}
