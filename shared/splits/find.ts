import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import type { Split } from './record.ts'
import { splitRows, userSplitRows } from './rows.ts'
import type { SplitView } from './schema.ts'
import { viewOf } from './view.ts'

interface SplitQuery {
  /** As a request brings it. */
  splitId: string | number
  /** The user whose it must be; undefined looks through all, which only the platform may. */
  owner: string | undefined
}

interface Ctx {
  table: Table
}

/** A split as it is stored; undefined where there is none. */
export async function readSplit(table: Table, splitId: number): Promise<Split | undefined> {
  const row = await table.get(splitRows.key({ splitId: String(splitId) }))
  return row && splitRows.parse(row)
}

/** @throws PlatformError 404, also for another user's */
export async function requireSplit({ table }: Ctx, query: SplitQuery): Promise<Split> {
  const { splitId, owner } = query
  const named = /^[1-9]\d{0,14}$/.test(String(splitId))
  const split = named ? await readSplit(table, Number(splitId)) : undefined
  if (split === undefined || (owner !== undefined && split.userId !== owner))
    throw notFound('Split')
  return split
}

/** What has become of a split and each of its recipients. @throws PlatformError 404 */
export async function showSplit(ctx: Ctx, query: SplitQuery): Promise<SplitView> {
  return viewOf(await requireSplit(ctx, query))
}

/** The newest splits of a user are shown. */
const mostListed = 100

/** A user's newest splits, the newest first, at most a hundred. */
export async function listSplits({ table }: Ctx, { userId }: { userId: string }) {
  const { items } = await table.query({
    pk: userSplitRows.pk({ userId }),
    beginsWith: userSplitRows.prefix(),
    descending: true,
    limit: mostListed,
  })
  const keys = items.map((item) =>
    splitRows.key({ splitId: String(userSplitRows.parse(item).splitId) }),
  )
  const rows = await table.getMany(keys)
  return rows.filter((row) => row !== undefined).map((row) => viewOf(splitRows.parse(row)))
}
