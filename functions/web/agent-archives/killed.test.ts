import { expect, it } from 'vitest'
import { importAgent } from '#shared/conversations/agent-archives/import.ts'
import { taskLimit } from '#shared/conversations/scheduled-tasks/create.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { WholeObjects } from '#shared/platform/objects/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { archiveOf, asImported, filesIn } from '#tests/support/conversations/archive-scenes.ts'
import { killedAfter } from '#tests/support/conversations/restore-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'

const { world, scenes, archives, ada } = await restoreWorld('network')

interface Over {
  table?: Table
  objects?: WholeObjects
}

/** Runs an import as its function does. */
async function bring(zip: Uint8Array, seed: string, over: Over = {}) {
  const user = {
    id: ada.id,
    plan: 'network',
    isAdmin: false,
    subscription: { id: null, status: 'active', customerId: null },
  }
  const { services, queues } = world.fleet
  const ctx = {
    ...services,
    queues,
    objects: world.objects,
    packs: world.packs,
    log: createLog(),
    seed,
    ...over,
  }
  return importAgent({ ...ctx, actor: { type: 'user', user }, owner: ada.id } as never, { zip })
}

const died = (error: unknown) => {
  if (!(error instanceof Killed)) throw error
}

/** Simulates that the killed process's lease has expired and the tick finds the restore. */
async function later() {
  const store = userStore(world.table, ada.id)
  const { items } = await store.query({ beginsWith: 'restore#' })
  for (const { sk } of items) await store.update(sk, { remove: ['heldUntil'] })
  await world.tick(Date.now() + 180_000)
}

it('an import that is killed between any two writes is created by the job, once and whole, or not at all', async () => {
  const one = await scenes.full()
  const wanted = await archives.take(one)
  const starts = () =>
    new Set(
      world.sent.filter(({ queue }) => queue === 'provisioning').map(({ body }) => body.agentId),
    )
  let made = 0
  let unmade = 0
  for (let writes = 0, killed = true; killed; writes++) {
    world.fleet.forget()
    const before = await archives.left()
    const { table, wasKilled } = killedAfter(world.table, writes)
    await bring(wanted, newSeed(), { table }).catch(died)
    killed = wasKilled()
    const requests = starts()
    await later()
    await world.work()
    const agents = (await archives.left()).rows.filter((row) => row.startsWith('agent#'))
    const fresh = agents.filter((row) => !before.rows.includes(row)).map((row) => row.slice(6))
    const after = await archives.left()
    expect(after.count).toBe(agents.length)
    expect(after.rows.filter((row) => row.startsWith('restore#'))).toEqual([])
    if (fresh.length === 0) {
      // The process died before it stored an agent: the platform keeps nothing of the import.
      expect(after).toEqual(before)
      unmade += 1
      continue
    }
    made += 1
    expect(fresh).toHaveLength(1)
    const [id = ''] = fresh
    expect(await filesIn(await archives.take(id))).toEqual(asImported(await filesIn(wanted)))
    // The request or the job sent the start, or the watchdog detects from the row that a start is missing.
    expect(requests.has(id) || (await scenes.agentOf(id)).desired === 'running').toBe(true)
  }
  expect(made).toBeGreaterThan(8)
  expect(unmade).toBe(1)
})

it('an import that was killed before its content was stored is deleted, and its place is free', async () => {
  const before = await archives.left()
  const objects = { ...world.objects, put: () => Promise.reject(new Killed()) }
  await bring(archiveOf({}), newSeed(), { objects }).catch(died)
  expect((await archives.left()).count).toBe(1)
  await later()
  await world.work()
  const after = await archives.left()
  expect(after.count).toBe(0)
  expect(after.rows.filter((row) => row.startsWith('restore#'))).toEqual(before.rows)
})

it('a retry under the same key continues after the first attempt was killed', async () => {
  const seed = newSeed()
  const zip = archiveOf({ 'memory/tea.md': 'green' })
  for (const writes of [1, 2, 3]) {
    const { table } = killedAfter(world.table, writes)
    await bring(zip, seed, { table }).catch(died)
    // The killed import still holds the archive, so another import of it must wait.
    await expect(bring(zip, seed)).rejects.toMatchObject({
      kind: 'unavailable',
      headers: { 'Retry-After': '5' },
    })
    const store = userStore(world.table, ada.id)
    const { items } = await store.query({ beginsWith: 'restore#' })
    for (const { sk } of items) await store.update(sk, { remove: ['heldUntil'] })
  }
  const agent = await bring(zip, seed)
  expect((await bring(zip, seed)).id).toBe(agent.id)
  const { count, rows } = await archives.left()
  expect([count, rows.filter((row) => row.startsWith('agent#'))]).toEqual([
    1,
    [`agent#${agent.id}`],
  ])
  expect((await scenes.stateOf(agent.id)).notes).toEqual({ tea: 'green' })
})

it('an import whose account was deleted, or whose schedules no longer fit, leaves nothing', async () => {
  const schedules = [{ name: 'Check', cronSchedule: '0 7 * * *', prompt: 'Well?' }]
  const zip = archiveOf({
    'memory/tea.md': 'green',
    'schedules.json': JSON.stringify(schedules),
    'conversations.jsonl': JSON.stringify({
      sender: 'user',
      content: 'Hello',
      timestamp: '2026-11-01T10:00:00.000Z',
      platform: 'web',
    }),
  })
  const store = userStore(world.table, ada.id)
  /** Applies a change after the agent has its place. */
  const meanwhile = (change: Record<string, unknown>): Table => ({
    ...world.table,
    async transact(writes, token) {
      await world.table.transact(writes, token)
      const isFirst = writes.some((write) => 'put' in write && write.put.begins === true)
      if (isFirst) await store.update('profile', { set: change })
    },
  })
  const full = meanwhile({ taskCount: taskLimit })
  await expect(bring(zip, newSeed(), { table: full })).rejects.toMatchObject({
    code: 'TASK_LIMIT_REACHED',
  })
  expect(await archives.left()).toEqual({ rows: [], count: 0 })
  await store.update('profile', { set: { taskCount: 0 } })
  const gone = meanwhile({ deletedAt: new Date().toISOString() })
  await expect(bring(zip, newSeed(), { table: gone })).rejects.toMatchObject({
    kind: 'unauthorized',
  })
  expect(await archives.left()).toEqual({ rows: [], count: 0 })
  const { items } = await store.query({ beginsWith: 'messages#' })
  expect(items.every(({ asked }) => asked === 0)).toBe(true)
})
