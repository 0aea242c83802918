import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import { writeNotes } from '#shared/agents/workspace/memory/write.ts'
import { startWatchdog, type TestWatchdog } from '#tests/support/agents/watchdog.ts'
import { observeTask } from './observe-task.ts'

const start = Date.UTC(2026, 0, 1)
let dog: TestWatchdog

beforeAll(async () => {
  dog = await startWatchdog()
})
afterAll(() => dog.close())
beforeEach(() => {
  delete dog.ctx.syncWorkspace
  dog.taken()
})

/** Creates an agent whose container runs but was not healthy yet. */
function comingUp(): Promise<Agent> {
  return dog.runningAgent(start, 0, {
    status: 'provisioning',
    taskHealth: 'UNKNOWN',
    watchdog: { ...newWatchdog(start), state: 'starting', generation: 1, dueAt: start },
  })
}

async function write(agent: Agent): Promise<void> {
  await writeNotes(dog.ctx, { agent: await dog.read(agent), notes: { name: 'Ann' } })
}

describe('a workspace change during an agent’s start', () => {
  it('is sent by the check that moves the agent to running', async () => {
    const agent = await comingUp()
    const tended: string[] = []
    dog.ctx.syncWorkspace = async ({ status }) => {
      tended.push(status)
      if (tended.length === 1) await write(agent)
    }
    const after = await dog.check(agent, start)
    expect(after.status).toBe('running')
    expect(tended).toEqual(['provisioning', 'running'])
  })

  it('is sent immediately by a check, if the container’s own health check was first', async () => {
    const agent = await comingUp()
    await write(agent)
    await observeTask(dog.ctx, healthyEvent(agent), start)
    expect((await dog.read(agent)).status).toBe('running')
    expect(dog.taken('checks')).toEqual([
      {
        queue: 'checks',
        message: { agents: [{ userId: agent.userId, agentId: agent.id, dueAt: null }] },
        delaySeconds: 0,
      },
    ])
    const tended: string[] = []
    dog.ctx.syncWorkspace = async ({ id }) => void tended.push(id)
    await dog.check(agent, start, null)
    expect(tended).toEqual([agent.id])
  })

  it('schedules no check if there was no change', async () => {
    const agent = await comingUp()
    await observeTask(dog.ctx, healthyEvent(agent), start)
    expect((await dog.read(agent)).status).toBe('running')
    expect(dog.taken('checks')).toEqual([])
  })
})

/** The ECS event of a passed container health check. */
function healthyEvent({ id, taskArn, address, taskVersion = 0 }: Agent) {
  const details = [{ name: 'privateIPv4Address', value: address?.host }]
  return {
    id: `event-${id}`,
    'detail-type': 'ECS Task State Change' as const,
    detail: {
      taskArn,
      startedBy: id,
      lastStatus: 'RUNNING',
      healthStatus: 'HEALTHY',
      version: taskVersion + 1,
      containers: [],
      attachments: [{ type: 'eni', details }],
    },
  }
}
