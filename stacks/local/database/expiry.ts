import { validationError } from './errors.ts'
import { applyChange, expiryOf, readItem } from './items.ts'
import type { Session } from './plan.ts'
import type { Inputs } from './requests.ts'
import type { Table } from './table.ts'
import type { Item } from './values.ts'

const FIVE_YEARS_S = 5 * 365 * 24 * 60 * 60

/** The number of items in one transaction, so that a long sweep does not block requests. */
const BATCH = 200

export function updateTimeToLive(session: Session, input: Inputs['UpdateTimeToLive']): object {
  const table = session.catalog.get(input.TableName)
  const { AttributeName: attribute, Enabled: enabled } = input.TimeToLiveSpecification
  if (enabled === (table.timeToLive !== undefined)) {
    throw validationError(`TimeToLive is already ${enabled ? 'enabled' : 'disabled'}`)
  }
  if (!enabled && attribute !== table.timeToLive) {
    throw validationError(`TimeToLive is active on a different AttributeName: ${table.timeToLive}`)
  }
  session.catalog.setTimeToLive(table, enabled ? attribute : undefined)
  refreshExpiries(session, table)
  return { TimeToLiveSpecification: input.TimeToLiveSpecification }
}

function refreshExpiries({ storage }: Session, table: Table): void {
  const sql = 'SELECT id, data FROM items WHERE tbl = ?'
  for (const { id, data } of Array.from(
    storage.rows<{ id: number; data: string }>(sql, table.id),
  )) {
    const expires = expiryOf(table, JSON.parse(data) as Item)
    storage.run('UPDATE items SET expires = ? WHERE id = ?', expires, id)
  }
}

export function describeTimeToLive(session: Session, input: Inputs['DescribeTimeToLive']): object {
  const { timeToLive } = session.catalog.get(input.TableName)
  return {
    TimeToLiveDescription: timeToLive
      ? { TimeToLiveStatus: 'ENABLED', AttributeName: timeToLive }
      : { TimeToLiveStatus: 'DISABLED' },
  }
}

/**
 * Deletes one batch of expired items with their index entries. Like DynamoDB, it ignores times more than five years ago,
 * which are more likely a wrong unit. Between expiry and sweep an item is still readable, so readers must filter.
 * @returns whether there may be more
 */
export function sweepExpired({ storage, catalog, now }: Session): boolean {
  const second = Math.floor(now() / 1000)
  const tables = new Map(catalog.all().map((table) => [table.id, table]))
  const expired = [
    ...storage.rows<{ tbl: number; hash: Uint8Array; range: Uint8Array }>(
      'SELECT tbl, hash, range FROM items WHERE expires <= ? AND expires > ? LIMIT ?',
      second,
      second - FIVE_YEARS_S,
      BATCH,
    ),
  ]
  for (const row of expired) {
    const table = tables.get(row.tbl)
    if (!table) throw new Error(`item of a table that does not exist: ${row.tbl}`)
    const key = { hash: Buffer.from(row.hash), range: Buffer.from(row.range) }
    const before = readItem(storage, table, key)
    applyChange(storage, { table, key, before, after: undefined })
  }
  return expired.length === BATCH
}
