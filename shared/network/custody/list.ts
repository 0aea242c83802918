import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type CustodyWallet, custodyWalletRows } from './rows.ts'

/** Lists the custodial wallets of a user's agents, oldest first, including deleted agents. */
export async function custodyWalletsOf(
  { table }: { table: Table },
  { userId }: { userId: string },
): Promise<CustodyWallet[]> {
  const store = userStore(table, userId)
  const beginsWith = custodyWalletRows.prefix()
  const items = await allItems((from) => store.query({ beginsWith, consistent: true, ...from }))
  return items
    .map((item) => custodyWalletRows.parse(item))
    .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1))
}
