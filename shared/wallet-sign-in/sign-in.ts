import { type Device, startSession } from '../accounts/session.ts'
import type { Rpc } from '../evm/client.ts'
import type { Table } from '../platform/table/port.ts'
import { readMessage } from './message.ts'
import { proveSigned } from './prove.ts'
import type { WalletProof } from './schema.ts'
import { userOfWallet, type WalletUserContext } from './user.ts'

export interface WalletContext {
  table: Table
  webUrl: string
  /** The chain that messages must name; smart wallets live on it. */
  chainId: number
  evm: Rpc
  device?: Device
}

/**
 * Signs in the holder of a wallet, by a message that it signed (Sign-In with Ethereum, EIP-4361).
 * @returns the session cookie's value beside the user
 * @throws PlatformError 401 for what does not prove it, 503 where only an absent chain could; for a first sign-in, which
 * makes an account, 403 BOT_DETECTED and 429
 */
export async function signInWithWallet(
  ctx: WalletContext & WalletUserContext,
  { address, message: text, signature }: WalletProof,
): Promise<{ user: { id: string; name: string }; session: string }> {
  const { table, webUrl, chainId, evm, device } = ctx
  const message = readMessage(text, { webUrl, chainId, address })
  await proveSigned(table, message, signature, evm)
  const user = await userOfWallet(ctx, { address: message.address })
  const begun = { userId: user.id, ...(device && { device }) }
  return { user, session: await startSession({ table }, begun) }
}
