import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { format } from '../amounts/amount.ts'
import { type HasUsdc, readUsdcBalance, requireUsdc, type UsdcSettings } from '../evm/usdc.ts'
import { findWallet } from './find.ts'
import type { Wallet } from './rows.ts'

/** The balance of a wallet: contract.md 9. */
export interface Balance {
  address: Wallet['address']
  balance_usdc: number
}

/**
 * Returns the USDC balance of a wallet, for its owner.
 * @throws PlatformError 404 for an address that belongs to no agent, 403 for another user's wallet, 503 if the
 * chain cannot be reached
 */
export async function walletBalance(
  { table, chain }: Pick<Context, 'table'> & HasUsdc,
  { address, userId }: { address: string; userId: string },
): Promise<Balance> {
  const wallet = await findWallet({ table }, { address })
  if (wallet === undefined) throw notFound('Wallet')
  if (wallet.userId !== userId)
    throw new PlatformError('forbidden', 'The wallet belongs to another user')
  return { address: wallet.address, balance_usdc: await balanceOf(chain, wallet.address) }
}

/** Returns the balance as a number of USDC, to six decimals. @throws PlatformError 503 */
async function balanceOf(settings: UsdcSettings, address: Wallet['address']): Promise<number> {
  return Number(format(await readUsdcBalance(requireUsdc(settings, 'Balances'), address)))
}
