import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { CapacityUnavailable } from '#shared/platform/containers/port.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { observeTasks } from './observe.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())

const question = ({ id: agentId, userId, taskArn = '' }: Agent) => ({
  userId,
  agentId,
  taskArn,
  askedAt: 7,
})

it('records the state of each running task, and the end of each task that ECS has forgotten', async () => {
  const [there, gone] = await Promise.all([fleet.started(), fleet.started()])
  await fleet.untilRunning(there)
  await fleet.untilRunning(gone)
  const { taskArn: forgotten } = await fleet.row(gone)
  const containers = {
    describe: async (arn: string) =>
      arn === forgotten ? undefined : fleet.containers.describe(arn),
  }
  const tasks = (await Promise.all([there, gone].map(fleet.row))).map(question)
  await observeTasks({ ...fleet.consumer, containers }, { tasks })
  expect(await fleet.row(there)).toMatchObject({ seenUp: 7, taskStatus: 'RUNNING' })
  expect(await fleet.row(gone)).toMatchObject({ taskStatus: 'STOPPED' })
})

it('drops a task for which ECS rejects requests, and retries the message for any other failure', async () => {
  const failing = (error: Error) => ({
    ...fleet.consumer,
    containers: {
      describe: async () => {
        throw error
      },
    },
  })
  const tasks = ['a', 'b'].map((taskArn) => ({ userId: 'usr_1', agentId: 'agt_a', taskArn }))
  await observeTasks(failing(new CapacityUnavailable('Rate exceeded')), { tasks })
  await expect(observeTasks(failing(new Error('no network')), { tasks })).rejects.toThrow(
    '2 of 2 tasks could not be read',
  )
})
