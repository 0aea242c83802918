import type { Rpc } from '#shared/money/evm/client.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { CountsRequests } from '../users/insert-user.ts'
import { type Device, startSession } from '../users/session.ts'
import { readMessage } from './message.ts'
import { proveSigned } from './prove.ts'
import type { WalletProof } from './schema.ts'
import { type RefusesBots, userOfWallet } from './user.ts'

/** The chain that signed messages belong to. */
export interface WalletChain {
  /** The chain that messages must name; smart wallets are verified on it. */
  chainId: number
  evm: Rpc
  device?: Device
}

/**
 * Signs in the holder of a wallet with a signed message (Sign-In with Ethereum, EIP-4361).
 * @returns the session cookie's value, and the user
 * @throws PlatformError 401 for an invalid proof, 503 if verification needs the chain and it cannot be reached; for
 * a first sign-in, which creates an account, 403 BOT_DETECTED and 429
 */
export async function signInWithWallet(
  ctx: Pick<Context, 'actor' | 'table' | 'requestId' | 'seed'> &
    Can<'webUrl'> &
    CountsRequests &
    WalletChain &
    RefusesBots,
  { address, message: text, signature }: WalletProof,
): Promise<{ user: { id: string; name: string }; session: string }> {
  const { table, webUrl, chainId, evm, device } = ctx
  const message = readMessage(text, { webUrl, chainId, address })
  await proveSigned(table, message, signature, evm)
  const user = await userOfWallet(ctx, { address: message.address })
  const newSession = { userId: user.id, ...(device && { device }) }
  return { user, session: await startSession({ table }, newSession) }
}
