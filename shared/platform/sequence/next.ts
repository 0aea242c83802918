import type { Table } from '../table/port.ts'
import { sequenceRows } from './rows.ts'

/**
 * The next number of a sequence, from 1 on. No number is given out twice; one whose taker died before it was used is
 * left out.
 */
export async function nextNumber(
  { table }: { table: Pick<Table, 'update'> },
  name: 'events' | 'splits',
): Promise<number> {
  const item = await table.update(sequenceRows.key({ name }), { add: { last: 1 } })
  return sequenceRows.parse(item).last
}
