import { expect, vi } from 'vitest'
import { auditHeadRows, auditRows } from '#shared/platform/identity/rows.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'

/** Returns the audit entries of a user as the table stores them. */
export async function auditOf(table: Table, userId: string) {
  const query = { pk: auditRows.pk({ userId }), beginsWith: auditRows.prefix() }
  const items = await allItems((from) => table.query({ ...query, ...from }))
  return items.map((item) => Object.assign(auditRows.parse(item), { id: item.sk }))
}

/** Returns whether a row belongs to the audit: an entry, or the head of a chain. */
const isAudit = ({ sk }: { sk: string }) =>
  sk.startsWith(auditRows.prefix()) || sk === auditHeadRows.sk({})

const isEntry = (write: Write) => 'put' in write && isAudit(write.put)

/**
 * Returns the entries that an act adds to a user's audit, sorted by action. Fails if an entry was not written by the
 * transaction that made the change, that is, if its transaction wrote nothing but entries.
 */
export async function addedBy(table: Table, userId: string, act: () => Promise<unknown>) {
  const before = new Set((await auditOf(table, userId)).map(({ id }) => id))
  const transact = vi.spyOn(table, 'transact')
  await act()
  const together = new Set(
    transact.mock.calls
      .filter(([writes]) => writes.some(isEntry) && !writes.every(isEntry))
      .flatMap(([writes]) => writes.flatMap((write) => ('put' in write ? [write.put.sk] : []))),
  )
  transact.mockRestore()
  const added = (await auditOf(table, userId)).filter(({ id }) => !before.has(id))
  expect(added.filter(({ id }) => !together.has(id))).toEqual([])
  return added.sort((a, b) => (a.action < b.action ? -1 : 1))
}

/** Returns only the actions of those entries. */
export async function actionsOf(table: Table, userId: string, act: () => Promise<unknown>) {
  return (await addedBy(table, userId, act)).map(({ action }) => action)
}
