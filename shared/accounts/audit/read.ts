import type { AuditEntry } from '#shared/platform/identity/audit-entry.ts'
import { auditSortKey, auditRows, lastAuditSeq } from '#shared/platform/identity/rows.ts'
import type { From } from '#shared/platform/table/pages.ts'
import type { Query, Table } from '#shared/platform/table/port.ts'

/** The number of entries in a page; an entry has about half a kilobyte. */
const pageSize = 200

/**
 * Yields a user's entries after a number, oldest first, in pages that are read on demand: memory use does not grow
 * with their number. Entries that are added during the read are included.
 */
export async function* readAudit(
  { table }: { table: Pick<Table, 'query'> },
  { userId, since = 0 }: { userId: string; since?: number },
): AsyncGenerator<AuditEntry[], void> {
  if (since >= lastAuditSeq) return
  const query: Query = {
    pk: auditRows.pk({ userId }),
    between: [
      auditRows.sk({ place: auditSortKey(since + 1) }),
      auditRows.sk({ place: auditSortKey(lastAuditSeq) }),
    ],
    limit: pageSize,
  }
  let from: From = {}
  for (;;) {
    const { items, next } = await table.query({ ...query, ...from })
    yield items.map((item) => auditRows.parse(item))
    if (next === undefined) return
    from = { after: next }
  }
}
