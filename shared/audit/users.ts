import { auditHeadRows, auditHeadShards, headPartition } from '../identity/rows.ts'
import { everyItem } from '../platform/table/pages.ts'
import type { Table } from '../platform/table/port.ts'

/** Every user whose chain has a head, in no order. */
export async function* auditedUsers({
  table,
}: {
  table: Pick<Table, 'query'>
}): AsyncGenerator<string, void> {
  for (let shard = 0; shard < auditHeadShards; shard++) {
    const query = {
      index: 'gsi1',
      pk: headPartition(shard),
      select: ['pk', 'sk', 'userId'],
    } as const
    for await (const item of everyItem((from) => table.query({ ...query, ...from })))
      yield item.pk.slice(auditHeadRows.pk({ userId: '' }).length)
  }
}
