import type { Table } from '../table/port.ts'
import { sequenceRows } from './rows.ts'

/**
 * Returns the next number of a sequence that starts at 1. Numbers are never issued twice; a number is skipped if
 * its caller dies before it uses it.
 */
export async function nextNumber(
  { table }: { table: Pick<Table, 'update'> },
  name: 'events' | 'splits',
): Promise<number> {
  const item = await table.update(sequenceRows.key({ name }), { add: { last: 1 } })
  return sequenceRows.parse(item).last
}
