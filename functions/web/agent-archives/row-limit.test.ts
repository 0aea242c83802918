import { afterEach, expect, it, vi } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { rowsPerDay } from '#shared/conversations/restore-points/row-quota.ts'
import { restoredRows, snapshotRows } from '#shared/conversations/restore-points/rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { archiveOf } from '#tests/support/conversations/archive-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

const { world, scenes, archives, ada } = await restoreWorld('network')
afterEach(() => vi.useRealTimers())

const dayMs = 86_400_000
const zip = archiveOf({ 'memory/tea.md': 'green', 'memory/cake.md': 'none' })
/** The agent and two notes. */
const zipRows = 3

const today = () => new Date().toISOString().slice(0, 10)
const store = () => userStore(world.table, ada.id)
const used = async () => (await store().get(restoredRows.sk({ date: today() })))?.['rows'] ?? 0
const use = (rows: number) => store().update(restoredRows.sk({ date: today() }), { set: { rows } })
const noon = () =>
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2 })

/** Each request creates the given number of rows for an existing agent. */
const kinds = [
  { name: 'an import', ask: async () => archives.bring(zip) },
  { name: 'a duplicate', ask: async (agentId: string) => archives.copy(agentId) },
  {
    name: 'a restore',
    ask: async (agentId: string, snapshotId: string) => scenes.restore(agentId, snapshotId),
  },
]

it.each(kinds)(
  '$name counts its rows, and is rejected above the limit of a day',
  async ({ ask }) => {
    noon()
    const { id } = await archives.bring(zip)
    const point = await scenes.snapshot(id)
    expect(await used()).toBe(zipRows)
    await use(rowsPerDay - zipRows + 1)
    world.fleet.forget()
    const before = await archives.left()
    const refused = await ask(id, point.id)
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: 'IMPORT_LIMIT_REACHED',
        limit: rowsPerDay,
        used: rowsPerDay - zipRows + 1,
        resetsAt: new Date(Date.parse(today()) + dayMs).toISOString(),
      },
    })
    expect([await archives.left(), await used(), world.sent]).toEqual([
      before,
      rowsPerDay - zipRows + 1,
      [],
    ])

    await use(rowsPerDay - zipRows)
    expect((await ask(id, point.id)).status).toBeLessThan(300)
    expect(await used()).toBe(rowsPerDay)
    await world.work()
    expect((await ask(id, point.id)).status).toBe(429)

    vi.setSystemTime(Date.now() + dayMs / 2)
    expect((await ask(id, point.id)).status).toBeLessThan(300)
    expect(await used()).toBe(zipRows)
  },
)

it('concurrent imports share the limit of the day, and a repeat counts once', async () => {
  noon()
  await use(rowsPerDay - 2 * zipRows)
  const keys = ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd']
  const bring = (key: string) => archives.bring(zip, { 'idempotency-key': `${ada.id}-${key}` })
  const made = new Set<string>()
  const answers = await Promise.all(keys.map(bring))
  for (const { status, id } of answers) {
    expect([201, 409, 429]).toContain(status)
    if (status === 201) made.add(id)
  }
  expect(made.size).toBe(2)
  expect(await used()).toBe(rowsPerDay)
  const { rows, count } = await archives.left()
  expect([count, rows.length]).toEqual([2, 2 * zipRows])
  for (const { status, id } of await Promise.all(keys.slice(0, 4).map(bring)))
    if (status === 201) expect(made).toContain(id)
    else expect(status).toBe(429)
  expect(await used()).toBe(rowsPerDay)
})

it('a restore point of unknown size is counted before its first row is written', async () => {
  noon()
  const { id } = await archives.bring(zip)
  const before = await scenes.stateOf(id)
  await deleteAgent(world.fleet.services, { agentId: id, owner: ada.id })
  await world.work()
  const [{ snapshotId } = { snapshotId: '' }] = await platformOver(
    world.call,
    ada,
  ).agents.listDeleted()
  await store().update(snapshotRows.sk({ agentId: id, snapshotId }), { remove: ['rows'] })
  await use(rowsPerDay - zipRows + 1)
  expect((await scenes.restore(id, snapshotId)).status).toBe(202)
  await world.work()
  expect((await scenes.call('GET', `/api/agents/${id}`)).status).toBe(404)
  expect(await used()).toBe(rowsPerDay - zipRows + 1)

  await use(rowsPerDay - zipRows)
  expect((await scenes.restore(id, snapshotId)).status).toBe(202)
  await world.work()
  expect(await scenes.stateOf(id)).toEqual(before)
  expect(await used()).toBe(rowsPerDay)
})
