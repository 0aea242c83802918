import { notFound } from '#shared/platform/errors.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { userWalletRows, type Wallet } from './rows.ts'

interface Ctx {
  table: Table
}

/**
 * Returns the wallets of a user's agents, the newest last; wallets of deleted agents are included, since they may
 * hold money.
 */
export async function walletsOf({ table }: Ctx, { userId }: { userId: string }): Promise<Wallet[]> {
  const store = userStore(table, userId)
  const beginsWith = userWalletRows.prefix()
  const items = await allItems((from) => store.query({ beginsWith, consistent: true, ...from }))
  return items
    .map((item) => userWalletRows.parse(item))
    .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1))
}

/**
 * Returns one of a user's wallets: an agent's, or the newest.
 * @throws PlatformError 404 if it does not exist
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
