import { afterAll, beforeAll } from 'vitest'
import { newUser, profileKey } from '#shared/accounts/users/user.ts'
import type { AgentStatus } from '#shared/agents/record/agent.ts'
import { createTask } from '#shared/conversations/scheduled-tasks/create.ts'
import type { Schedule } from '#shared/conversations/scheduled-tasks/next-run.ts'
import { runRows } from '#shared/conversations/scheduled-tasks/rows.ts'
import { executeRun } from '#shared/conversations/scheduled-tasks/runs/execute.ts'
import type { Run } from '#shared/conversations/scheduled-tasks/runs/run.ts'
import { type RunRef, taskRuns } from '#shared/conversations/scheduled-tasks/runs/topic.ts'
import { requireTask, type ScheduledTask } from '#shared/conversations/scheduled-tasks/task.ts'
import { tick } from '#shared/conversations/scheduled-tasks/tick.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { userContext } from '../platform/context.ts'
import { startTestTable, type TestTable } from '../platform/table.ts'

const log = createLog()

/** Provides tasks for a file of tests, each on a clock of its own. */
export function useScheduled() {
  let database: TestTable
  let users = 0
  beforeAll(async () => {
    database = await startTestTable()
  })
  afterAll(() => database.close())
  return {
    get table(): Table {
      return database.table
    },
    scheduled: (status?: AgentStatus, schedule?: Schedule) =>
      startWorld(database.table, `usr_${++users}`, status, schedule),
  }
}

/** Starts a world with one user's task, on a clock of its own. Default: the task is due every five minutes. */
async function startWorld(
  table: Table,
  userId: string,
  status: AgentStatus = 'running',
  schedule: Schedule = { cronSchedule: '*/5 * * * *', timezone: 'UTC' },
) {
  const profile = newUser({
    id: userId,
    email: `${userId}@b.co`,
    name: 'Ada',
    referralCode: userId,
  })
  const store = userStore(table, userId)
  await store.put(profileKey, { ...profile })
  const ctx = await userContext(table, userId)
  const desired = status === 'stopped' ? 'stopped' : 'running'
  const agent = await putAgent(table, userId, { status, desired })
  const input = {
    name: 'Check',
    ...schedule,
    prompt: 'Well?',
    agentId: agent.id,
    description: null,
    enabled: true,
  }
  const addTask = () => createTask({ ...ctx, seed: newSeed() }, input)
  const task = await addTask()
  const clock = { now: Date.parse(String(task.nextRun)) - 60_000 }
  const sent: RunRef[] = []
  /** The runs whose prompt reached the agent. */
  const asked: string[] = []
  const delayed: { run: RunRef; at: number }[] = []
  const send = (body: unknown, { delaySeconds = 0 }: { delaySeconds?: number } = {}) => {
    const run = taskRuns.schema().parse(body)
    if (delaySeconds === 0) sent.push(run)
    else delayed.push({ run, at: clock.now + delaySeconds * 1000 })
  }
  const queues: Queues = {
    send: async (_, body, options) => send(body, options),
    sendAll: async (_, bodies, options) => bodies.forEach((body) => send(body, options)),
  }
  const world = {
    ctx,
    agent,
    clock,
    sent,
    asked,
    store,
    addTask,
    /** Returns the error of an agent that cannot answer. */
    refusal: (): Error | undefined => undefined,
    /** Runs before the agent answers. */
    answer: async (): Promise<void> => {},
    /** Runs when a sleeping agent is woken. */
    wake: async (): Promise<void> => {},
    wait: (seconds: number) => void (clock.now += seconds * 1000),
    tick: (on = table) => tick({ table: only(on, userId), queues, log, clock: () => clock.now }),
    consume: (run: RunRef, on = table, failure?: Error) =>
      executeRun(
        {
          table: on,
          queues,
          log,
          clock: () => clock.now,
          wake: () => world.wake(),
          ask: async ({ seed }) => {
            const refusal = world.refusal()
            if (refusal !== undefined) throw refusal
            asked.push(seed)
            await world.answer()
            if (failure !== undefined) throw failure
            return { reply: 'Well.', tokens: 7 }
          },
        },
        run,
      ),
    deliver: async (failure?: Error) => {
      const later = delayed.splice(0)
      sent.push(...later.filter(({ at }) => at <= clock.now).map(({ run }) => run))
      delayed.push(...later.filter(({ at }) => at > clock.now))
      for (let run = sent.shift(); run !== undefined; run = sent.shift())
        await world.consume(run, table, failure)
    },
    task: (): Promise<ScheduledTask> => requireTask(store, task.id),
    runs: async (): Promise<Run[]> =>
      (await store.query({ beginsWith: runRows.prefix() })).items.map(runRows.parse),
  }
  return world
}

/** Limits a tick to one user's rows, so that tests can share a table. */
function only(table: Table, userId: string): Table {
  return {
    ...table,
    query: async (query) => {
      const page = await table.query(query)
      return { ...page, items: page.items.filter((item) => item.userId === userId) }
    },
  }
}
