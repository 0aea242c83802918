import type { Task } from '@aws-sdk/client-ecs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { tableName } from '#stacks/local/engines.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { processesOf } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

let stack: OwnStack
let user: TestUser
let agentId: string
let engines: ReturnType<typeof enginesOf>
/** Every possible state of the agent's first task. */
let first: Task

beforeAll(async () => {
  // No regular check changes the row during a test, no matter how long the test takes.
  stack = await startOwnStack({ WATCHDOG_CHECK_INTERVAL: '3600' })
  engines = enginesOf(() => stack.now().endpoints)
  user = await stack.newSubscriber()
  agentId = await stack.runningAgent(user)
  await untilSettled(1)
  first = await taskNow()
})
afterAll(() => stack?.[Symbol.asyncDispose]())

async function taskNow(): Promise<Task> {
  const [task] = await engines.wantedTasks(agentId)
  if (task === undefined) throw new Error('the agent has no task')
  return task
}

async function row(): Promise<Item | undefined> {
  const table = dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
  return table.get(agentKey({ userId: user.id, agentId }))
}

/** Waits until all effects of the agent's start have happened. */
async function untilSettled(generation: number): Promise<void> {
  const settled = { generation, taskHealth: 'HEALTHY', watchdog: { state: 'running' } }
  await eventually(async () => expect(await row()).toMatchObject(settled))
  for (const queue of ['task-events', 'provisioning', 'checks'] as const)
    await engines.untilEmpty(queue)
}

const event = (task: Task, changes: Partial<Task> = {}) => ({
  version: '0',
  id: crypto.randomUUID(),
  'detail-type': 'ECS Task State Change',
  source: 'aws.ecs',
  resources: [task.taskArn],
  detail: { ...task, ...changes },
})

const ended = (version: number): Partial<Task> => ({
  version,
  lastStatus: 'STOPPED',
  desiredStatus: 'STOPPED',
  stopCode: 'EssentialContainerExited',
  stoppedReason: 'Essential container in task exited',
  stoppedAt: new Date(),
})

/** Delivers events to the platform, and waits for all their effects. */
async function deliver(events: unknown[]): Promise<void> {
  await engines.sendBatch('task-events', events)
  await untilTaken()
}

/** Waits until events are handled, and all their effects have happened. */
async function untilTaken(): Promise<void> {
  // Messages with a delay of minutes are not effects of these events.
  for (const queue of ['task-events', 'provisioning', 'task-events'] as const)
    await eventually(async () => expect(await engines.depth(queue, { delayed: false })).toBe(0))
}

const pids = () => processesOf(stack.dataDir, agentId).map(({ pid }) => pid)

describe('events of a running agent', () => {
  it('events of a running agent that are repeated, late or out of order change nothing', async () => {
    const before = { row: await row(), pids: pids() }
    const version = Number(first.version)
    expect(version).toBeGreaterThan(1)
    await deliver([
      event(first),
      event(first),
      event(first),
      event(first, { lastStatus: 'PENDING', version: version - 1, healthStatus: 'UNKNOWN' }),
      event(first, { lastStatus: 'PROVISIONING', version: 1, healthStatus: 'UNKNOWN' }),
      event(first, ended(version)),
      event(first, ended(version - 1)),
    ])
    expect({ row: await row(), pids: pids() }).toEqual(before)
  })

  it('events of a running agent of another task change nothing', async () => {
    const before = { row: await row(), pids: pids() }
    const taskArn = `${first.taskArn?.slice(0, -8)}00000000`
    await deliver([
      event(first, { ...ended(99), taskArn }),
      event(first, { taskArn, version: 99 }),
      event(first, { taskArn: `${taskArn}1`, startedBy: 'somebody else' }),
      event(first, { ...ended(99), taskArn, startedBy: 'agt_00000000000000000000000000' }),
    ])
    expect({ row: await row(), pids: pids() }).toEqual(before)
  })
})

describe('events of an earlier start', () => {
  it('change nothing once there is a later start', async () => {
    await stack.lifecycle(user, agentId, 'restart')
    await untilSettled(2)
    const before = { row: await row(), pids: pids() }
    await deliver([event(first), event(first, { version: 99 }), event(first, ended(100))])
    expect({ row: await row(), pids: pids() }).toEqual(before)
  })

  it('restart no stopped agent', async () => {
    const second = await taskNow()
    await stack.lifecycle(user, agentId, 'stop')
    await eventually(async () => expect(await row()).toMatchObject({ taskStatus: 'STOPPED' }))
    await untilTaken()
    const before = await row()
    await deliver([event(first, { version: 99 }), event(second), event(first, ended(100))])
    expect(await row()).toEqual(before)
    expect(pids()).toEqual([])
  })

  it('restore no deleted agent', async () => {
    await call(`${stack.now().backend}/api/agents/${agentId}`, {
      method: 'DELETE',
      headers: stack.asInternal(user.id),
    })
    await eventually(async () => expect(await row()).toBeUndefined())
    await deliver([event(first, { version: 999 }), event(first, ended(1000))])
    expect(await row()).toBeUndefined()
    expect(pids()).toEqual([])
    expect(await stack.agentsOf(user)).toEqual([])
  })
})

it('every event was processed by its consumer', async () => {
  expect(await engines.deadLetters()).toEqual({})
})
