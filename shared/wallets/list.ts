import { notFound } from '../platform/errors.ts'
import { allItems } from '../platform/table/pages.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { userWalletRows, type Wallet } from './rows.ts'

interface Ctx {
  table: Table
}

/** The wallets of a user's agents, the newest last; also those of agents that are deleted, as there may be money in them. */
export async function walletsOf({ table }: Ctx, { userId }: { userId: string }): Promise<Wallet[]> {
  const store = userStore(table, userId)
  const beginsWith = userWalletRows.prefix()
  const items = await allItems((from) => store.query({ beginsWith, consistent: true, ...from }))
  return items
    .map((item) => userWalletRows.parse(item))
    .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1))
}

/**
 * One of a user's wallets: that of an agent, or their newest.
 * @throws PlatformError 404 where there is none
 */
export async function requireWallet(
  ctx: Ctx,
  { userId, agentId }: { userId: string; agentId?: string | undefined },
): Promise<Wallet> {
  const wallets = await walletsOf(ctx, { userId })
  const found = wallets.findLast((wallet) => agentId === undefined || wallet.agentId === agentId)
  if (found === undefined) throw notFound('Wallet')
  return found
}
