import { expect, vi } from 'vitest'
import { auditHeadRows, auditRows } from '../../shared/identity/rows.ts'
import { allItems } from '../../shared/platform/table/pages.ts'
import type { Table, Write } from '../../shared/platform/table/port.ts'

/** A user's audit, each entry as it stands in the table. */
export async function auditOf(table: Table, userId: string) {
  const query = { pk: auditRows.pk({ userId }), beginsWith: auditRows.prefix() }
  const items = await allItems((from) => table.query({ ...query, ...from }))
  return items.map((item) => Object.assign(auditRows.parse(item), { id: item.sk }))
}

/** Whether a row is of the audit: an entry, or the end of its chain. */
export const isAudit = ({ sk }: { sk: string }) =>
  sk.startsWith(auditRows.prefix()) || sk === auditHeadRows.sk({})

const isEntry = (write: Write) => 'put' in write && isAudit(write.put)

/**
 * What an act adds to a user's audit, sorted by action. Each entry must have been written by the transaction that also
 * made the change: an entry that is written alone, or beside nothing but entries, fails the test.
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

/** The same, the actions alone. */
export async function actionsOf(table: Table, userId: string, act: () => Promise<unknown>) {
  return (await addedBy(table, userId, act)).map(({ action }) => action)
}
