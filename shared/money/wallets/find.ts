import { absent } from '#shared/platform/table/if-present.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { platformOwner } from '#shared/platform/table/user-store.ts'
import { agentWalletRows, userWalletRows, type Wallet, walletRows } from './rows.ts'

interface Ctx {
  table: Table
}

/** Returns an agent's own wallet; undefined if it has none. Works after the agent was deleted too. */
export async function findWalletOf(
  { table }: Ctx,
  { agentId }: { agentId: string },
): Promise<Wallet | undefined> {
  return agentWalletRows.find(table, { agentId })
}

/** Returns the wallet with an address, in any case; undefined if it belongs to no agent. */
export async function findWallet(
  { table }: Ctx,
  { address }: { address: string },
): Promise<Wallet | undefined> {
  const row = await table.get(walletRows.key({ address: address.toLowerCase() }))
  return row && walletRows.parse(row)
}

/**
 * Returns the rows of a new wallet as parts of its transaction; `wallet` is refused if the agent already has a
 * wallet.
 */
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
