import { beforeEach, describe, expect, it } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { createTask, taskLimit } from '#shared/conversations/scheduled-tasks/create.ts'
import { removeTask } from '#shared/conversations/scheduled-tasks/delete.ts'
import { everyTask } from '#shared/conversations/scheduled-tasks/task.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

const { world, scenes, ada } = await restoreWorld()
let id: string
let other: string

beforeEach(async () => {
  id = await scenes.full()
  other = await scenes.newAgent()
})

const store = () => userStore(world.table, ada.id)

/** Gives the other agent as many tasks as its owner can have, after this agent's are deleted. */
async function useUpTasks(): Promise<void> {
  for (const { id: taskId } of await everyTask(store())) await removeTask(store(), taskId)
  const task = { name: 'C', description: null, prompt: 'P', enabled: false, timezone: 'UTC' }
  const input = { ...task, agentId: other, cronSchedule: '0 7 * * *' }
  for (let i = 0; i < taskLimit; i++) {
    await createTask({ table: world.table, owner: ada.id, seed: newSeed() }, input)
  }
}

const texts = async () =>
  (await platformOver(world.call, ada).agents.events(id)).map(({ text }) => text)

const refused = { code: 'TASK_LIMIT_REACHED', limit: taskLimit }

describe('a restore point with more schedules than the limit allows', () => {
  it('is rejected on request', async () => {
    const point = await scenes.snapshot(id)
    await useUpTasks()
    const before = await scenes.stateOf(id)
    expect(await scenes.restore(id, point.id)).toMatchObject({ status: 409, body: refused })
    expect(world.sent).toEqual([])
    expect(await scenes.stateOf(id)).toEqual(before)
  })

  it('fails, with the reason in the agent’s history, if the limit was reached in the meantime', async () => {
    const point = await scenes.snapshot(id)
    expect((await scenes.restore(id, point.id)).status).toBe(202)
    await useUpTasks()
    const before = await scenes.stateOf(id)
    await world.work()
    expect(await scenes.stateOf(id)).toEqual(before)
    expect(await texts()).toContainEqual(
      expect.stringMatching(/^It was not restored: You have 200 scheduled tasks/),
    )
    await world.tick(Date.now() + 3_600_000)
    expect(world.sent.filter(({ body }) => body.kind === 'restore')).toEqual([])
    expect(await scenes.restore(id, point.id)).toMatchObject({ status: 409, body: refused })
  })

  it('leaves a deleted agent deleted until the limit allows it', async () => {
    const before = await scenes.stateOf(id)
    await deleteAgent(world.fleet.services, { agentId: id, owner: ada.id })
    await world.work()
    const listed = () => platformOver(world.call, ada).agents.listDeleted()
    const [{ snapshotId } = { snapshotId: '' }] = await listed()
    expect((await scenes.restore(id, snapshotId)).status).toBe(202)
    await useUpTasks()
    await world.work()
    expect((await scenes.call('GET', `/api/agents/${id}`)).status).toBe(404)
    expect(await listed()).toMatchObject([{ id, snapshotId }])
    expect((await store().get('profile'))?.['agentCount']).toBe(1)
    for (const task of await everyTask(store())) await removeTask(store(), task.id)
    expect((await scenes.restore(id, snapshotId)).status).toBe(202)
    await world.work()
    expect(await scenes.stateOf(id)).toEqual(before)
  })
})
