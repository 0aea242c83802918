import { amountOf, format } from '#shared/money/amounts/amount.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Split } from './record.ts'
import { splitRows, userSplitRows } from './rows.ts'
import type { SplitView } from './schema.ts'

interface SplitQuery {
  /** The unvalidated id from the request. */
  splitId: string | number
  /** The required owner, or undefined for the platform, which may read every split. */
  owner: string | undefined
}

interface Ctx {
  table: Table
}

/** Returns the stored split, or undefined if it does not exist. */
export async function readSplit(table: Table, splitId: number): Promise<Split | undefined> {
  const row = await table.get(splitRows.key({ splitId: String(splitId) }))
  return row && splitRows.parse(row)
}

/** @throws PlatformError 404 if the split does not exist or belongs to another user */
export async function requireSplit({ table }: Ctx, query: SplitQuery): Promise<Split> {
  const { splitId, owner } = query
  const named = /^[1-9]\d{0,14}$/.test(String(splitId))
  const split = named ? await readSplit(table, Number(splitId)) : undefined
  if (split === undefined || (owner !== undefined && split.userId !== owner))
    throw notFound('Split')
  return split
}

/**
 * Returns a split with the state of each recipient.
 * @throws PlatformError 404
 */
export async function showSplit(ctx: Ctx, query: SplitQuery): Promise<SplitView> {
  return viewOf(await requireSplit(ctx, query))
}

const maxListed = 100

/** Lists a user's newest splits, newest first, at most a hundred. */
export async function listSplits({ table }: Ctx, { userId }: { userId: string }) {
  const { items } = await table.query({
    pk: userSplitRows.pk({ userId }),
    beginsWith: userSplitRows.prefix(),
    descending: true,
    limit: maxListed,
  })
  const keys = items.map((item) =>
    splitRows.key({ splitId: String(userSplitRows.parse(item).splitId) }),
  )
  const rows = await table.getMany(keys)
  return rows.filter((row) => row !== undefined).map((row) => viewOf(splitRows.parse(row)))
}

/** Returns the public form of a split: contract.md 9. */
function viewOf(split: Split): SplitView {
  const { splitId, status, name, totalAmount, reason = null, createdAt, completedAt = null } = split
  return {
    splitId,
    status,
    name,
    totalAmount,
    currency: 'USDC',
    reason,
    createdAt,
    completedAt,
    recipients: split.recipients.map((one) => ({
      address: one.address,
      share: one.share,
      amount: format(amountOf('USDC', BigInt(one.amount)), 6),
      status: one.status,
      txHash: one.txHash ?? null,
      reason: one.reason ?? null,
    })),
  }
}
