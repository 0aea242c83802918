import { describe, expect, it } from 'vitest'
import { packsPrefix } from '#shared/agents/files/packs.ts'
import { fileRows, pinRows } from '#shared/agents/files/rows.ts'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { storageRows } from '#shared/agents/storage/rows.ts'
import { automaticLifetimeMs } from '#shared/conversations/restore-points/store-snapshot.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { killedAfter } from '#tests/support/conversations/restore-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'

const { world, scenes, files, ada } = await restoreWorld()
const { table } = world

const rowOf = (agentId: string) => fileRows.find(table, { userId: ada.id, agentId })
const useOf = async () => {
  const { taken = 0, reserved = 0 } = (await storageRows.find(table, { userId: ada.id })) ?? {}
  return { taken, reserved }
}

/** Creates an agent with all kinds of state, and with files of 9 bytes. */
async function withFiles() {
  const id = await scenes.full()
  await files.put(id, 'a.txt', 'one')
  await files.put(id, 'sub/b.txt', 'second')
  return id
}

async function spoilFiles(id: string) {
  await files.put(id, 'a.txt', 'changed')
  await files.remove(id, 'sub')
  await files.put(id, 'new/c.txt', 'later')
}

const before = { 'a.txt': 'one', 'sub/b.txt': 'second' }
const spoilt = { 'a.txt': 'changed', 'new/c.txt': 'later' }

/** Marks an agent as running in a container that holds its files. */
async function run(agentId: string): Promise<void> {
  const key = { userId: ada.id, agentId }
  const set = { status: 'running', taskArn: 'arn:task/1', taskStatus: 'RUNNING' }
  await table.update(agentRows.key(key), { set })
  await table.update(fileRows.key(key), { set: { holder: 1 } })
}

describe('a restore', () => {
  it('returns the files of the moment, and saves the files before it', async () => {
    const id = await withFiles()
    const { id: snapshotId } = await scenes.snapshot(id)
    await spoilFiles(id)
    const spoiltUse = await useOf()
    await scenes.restore(id, snapshotId)
    await world.work()
    expect(await files.contentOf(id)).toEqual(before)
    expect(await useOf()).toEqual({ taken: 9, reserved: 0 })
    const [own] = await scenes.points(id)
    await scenes.restore(id, String(own?.id))
    await world.work()
    expect(await files.contentOf(id)).toEqual(spoilt)
    expect(await useOf()).toEqual(spoiltUse)
  })

  it('a restore also saves what is written until the files are replaced', async () => {
    const id = await withFiles()
    const { id: snapshotId } = await scenes.snapshot(id)
    await spoilFiles(id)
    await scenes.restore(id, snapshotId)
    const message = world.sent.find(({ queue }) => queue === 'restore-points')
    let isLate = false
    const late: typeof table = {
      ...table,
      async transact(writes) {
        if (!isLate && JSON.stringify(writes).includes('hasFiles')) {
          isLate = true
          await files.put(id, 'late.txt', 'late')
        }
        return table.transact(writes)
      },
    }
    await world.job(message?.body, { table: late })
    expect(await files.contentOf(id)).toEqual(before)
    world.sent.length = 0
    const [own] = await scenes.points(id)
    await scenes.restore(id, String(own?.id))
    await world.work()
    expect(await files.contentOf(id)).toEqual({ ...spoilt, 'late.txt': 'late' })
  })

  it('a restore of a moment without files removes them', async () => {
    const id = await scenes.newAgent()
    const { id: snapshotId } = await scenes.snapshot(id)
    await files.put(id, 'a.txt', 'one')
    await scenes.restore(id, snapshotId)
    await world.work()
    expect(await files.contentOf(id)).toEqual({})
    expect(await useOf()).toEqual({ taken: 0, reserved: 0 })
  })

  it('a restore of a running agent stops and starts it; the former container no longer holds the files', async () => {
    const id = await withFiles()
    const { id: snapshotId } = await scenes.snapshot(id)
    await spoilFiles(id)
    await run(id)
    const [agent, row] = [await scenes.agentOf(id), await rowOf(id)]
    await scenes.restore(id, snapshotId)
    const messages = world.sent.filter(({ queue }) => queue === 'restore-points')
    world.sent.length = 0
    for (const { body } of messages) await world.job(body)
    const kinds = world.sent.map(({ body }) => body.kind)
    expect(kinds).toEqual(['stop', 'start'])
    const [after, restored] = [await scenes.agentOf(id), await rowOf(id)]
    expect(after).toMatchObject({ desired: 'running', generation: agent.generation + 1 })
    expect(restored?.version).toBeGreaterThan(row?.version ?? 0)
    expect(restored).toMatchObject({ origin: expect.any(String) })
    expect(restored?.holder).toBeUndefined()
    expect(await files.contentOf(id)).toEqual(before)
  })

  it('continues after a kill between any two writes, with files and rows of one moment', async () => {
    const id = await withFiles()
    const state = await scenes.stateOf(id)
    const { id: snapshotId } = await scenes.snapshot(id)
    await scenes.spoil(id)
    await spoilFiles(id)
    await run(id)
    const { generation } = await scenes.agentOf(id)
    await scenes.restore(id, snapshotId)
    const message = world.sent.find(({ queue }) => queue === 'restore-points')
    let kills = 0
    for (let writes = 0; ; writes++) {
      const { table: dying, wasKilled } = killedAfter(table, writes)
      await world.job(message?.body, { table: dying }).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error
      })
      if (!wasKilled()) break
      kills += 1
      await userStore(table, ada.id).update(`restore#${id}`, { remove: ['heldUntil'] })
    }
    expect(kills).toBeGreaterThan(12)
    expect(await scenes.stateOf(id)).toEqual(state)
    expect(await files.contentOf(id)).toEqual(before)
    expect(await useOf()).toEqual({ taken: 9, reserved: 0 })
    // It was started once, although each attempt could have started it.
    const after = await scenes.agentOf(id)
    expect([after.desired, after.generation]).toEqual(['running', generation + 1])
  })

  it('keeps what is written after a kill, once the files are replaced', async () => {
    const id = await withFiles()
    const { id: snapshotId } = await scenes.snapshot(id)
    await spoilFiles(id)
    await scenes.restore(id, snapshotId)
    const message = world.sent.find(({ queue }) => queue === 'restore-points')
    for (let writes = 0; (await files.contentOf(id))['a.txt'] !== 'one'; writes++) {
      const { table: dying } = killedAfter(table, writes)
      await world.job(message?.body, { table: dying }).catch(() => undefined)
      await userStore(table, ada.id).update(`restore#${id}`, { remove: ['heldUntil'] })
    }
    await files.put(id, 'meanwhile.txt', 'kept')
    await world.job(message?.body)
    expect(await files.contentOf(id)).toEqual({ ...before, 'meanwhile.txt': 'kept' })
  })

  it('a restore that does not fit into the storage returns 402, and changes nothing', async () => {
    const id = await scenes.newAgent()
    await files.put(id, 'large', 'x'.repeat(3000))
    const { id: snapshotId } = await scenes.snapshot(id)
    await files.put(id, 'large', 'x')
    await files.limitStorage(ada.id, 2000)
    const { status, body } = await scenes.restore(id, snapshotId)
    expect([status, body.code, body.used, body.quota]).toEqual([
      402,
      'STORAGE_LIMIT_REACHED',
      1,
      2000,
    ])
    expect(world.sent).toEqual([])
    expect(await useOf()).toEqual({ taken: 1, reserved: 0 })
    await files.limitStorage(ada.id, 4000)
    expect((await scenes.restore(id, snapshotId)).status).toBe(202)
    expect(await useOf()).toEqual({ taken: 3000, reserved: 2999 })
    await world.work()
    expect(await useOf()).toEqual({ taken: 3000, reserved: 0 })
  })
})

describe('a deleted agent', () => {
  it('is restored with its files, whose packs stay for seven days', async () => {
    const id = await withFiles()
    await deleteAgent(world.fleet.services, { agentId: id, owner: ada.id })
    const [gone] = (await scenes.call('GET', '/api/agents?deleted=true')).body.agents as [
      { snapshotId: string },
    ]
    await world.work()
    expect(await useOf()).toEqual({ taken: 0, reserved: 0 })
    // A collection removes only what no restore point needs.
    for (const hours of [0, 1.1, 2.2]) {
      const now = Date.now() + hours * 3_600_000
      await world.tickFiles(now)
      await world.work({ now })
    }
    expect((await scenes.restore(id, gone.snapshotId)).status).toBe(202)
    await world.work()
    expect(await files.contentOf(id)).toEqual(before)
    expect(await useOf()).toEqual({ taken: 9, reserved: 0 })
    await files.put(id, 'a.txt', 'again')
    expect((await rowOf(id))?.deletedAt).toBeUndefined()
  })

  it('loses its files with its last restore point', async () => {
    const id = await withFiles()
    await scenes.snapshot(id)
    await deleteAgent(world.fleet.services, { agentId: id, owner: ada.id })
    await world.work()
    await world.tick(Date.now() + automaticLifetimeMs + 60_000)
    const { items } = await userStore(table, ada.id).query({
      beginsWith: pinRows.prefix({ agentId: id }),
    })
    expect(items).toEqual([])
    const now = Date.now() + automaticLifetimeMs + 120_000
    await world.tickFiles(now)
    await world.work({ now })
    const left = []
    for await (const { key } of world.packs.list(packsPrefix(id))) left.push(key)
    expect(left).toEqual([])
  })
})
