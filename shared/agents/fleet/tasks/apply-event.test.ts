import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { eventually, untilFound } from '#tests/support/clock/eventually.ts'
import { deleteAgent } from '../delete.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

describe('an event', () => {
  it('an event of a task whose agent was deleted stops the task', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    await deleteAgent(fleet.services, { agentId: agent.id, owner: undefined })
    fleet.sent.length = 0
    await fleet.containers.run({
      clientToken: 'orphan',
      startedBy: agent.id,
      family: 'agent-label',
      environment: { AGENT_GENERATION: '1' },
      tags: {},
    })
    await eventually(async () => {
      await fleet.deliver()
      expect(fleet.sent).toEqual([])
      const live = await fleet.wantedTasks(agent)
      expect(live.filter((arn) => arn !== agent.taskArn)).toEqual([])
    })
    await fleet.containers.stop(String(agent.taskArn), 'the end of the test')
  })

  it('an event of a crash moves the agent to error once, with the reason from ECS', async () => {
    const agent = await fleet.untilRunning(await fleet.started())
    await fetch(`http://127.0.0.1:${agent.address?.port}/exit?code=7`).catch(() => undefined)
    // The engine can report the end separately from the final state.
    await untilFound(() =>
      fleet.events.some(
        ({ detail: { taskArn, lastStatus } }) =>
          taskArn === agent.taskArn && lastStatus === 'STOPPED',
      ),
    )
    fleet.events.push(...fleet.events)
    const changes = (await fleet.deliver()).map(({ change }) => change)
    expect(changes.filter((change) => change !== 'none')).toEqual(['crashed'])
    expect(await fleet.row(agent)).toMatchObject({
      status: 'error',
      desired: 'running',
      stopReason: { code: 'EssentialContainerExited', exitCode: 7 },
    })
  })
})
