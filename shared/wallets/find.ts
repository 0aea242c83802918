import type { Table, Write } from '../platform/table/port.ts'
import { absent } from '../platform/table/present.ts'
import { platformOwner } from '../platform/table/user-store.ts'
import { agentWalletRows, userWalletRows, type Wallet, walletRows } from './rows.ts'

interface Ctx {
  table: Table
}

/** An agent's own wallet; undefined where it has none. It is still found after the agent was deleted. */
export async function findWalletOf(
  { table }: Ctx,
  { agentId }: { agentId: string },
): Promise<Wallet | undefined> {
  const row = await table.get(agentWalletRows.key({ agentId }))
  return row && agentWalletRows.parse(row)
}

/** The wallet of an address, in any case; undefined where the address is no agent's. */
export async function findWallet(
  { table }: Ctx,
  { address }: { address: string },
): Promise<Wallet | undefined> {
  const row = await table.get(walletRows.key({ address: address.toLowerCase() }))
  return row && walletRows.parse(row)
}

/** The rows of a new wallet, as parts of the transaction that makes it; `wallet` is refused where the agent has one. */
export function newWalletParts(wallet: Wallet): Record<'wallet' | 'byAddress' | 'byUser', Write> {
  const { address, agentId, userId } = wallet
  return {
    wallet: { put: agentWalletRows.put({ agentId }, wallet), ...absent() },
    byAddress: {
      put: walletRows.put({ address: address.toLowerCase() }, wallet),
      ...absent(),
    },
    byUser: {
      put: userWalletRows.put({ userId: userId ?? platformOwner, agentId }, wallet),
      ...absent(),
    },
  }
}
