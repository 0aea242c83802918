import type { Rpc } from '#shared/money/evm/client.ts'
import { isSigned } from '#shared/money/evm/signature.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { SignInMessage } from './message.ts'
import { consumeNonce } from './nonce.ts'

/**
 * Verifies that the account of a message has signed it, and that the message was not used before. The nonce is used up
 * before the signature is verified, so that a caller gets one attempt and causes at most one call to the chain.
 * @throws PlatformError 401 for an unknown or used nonce, and for an invalid signature
 */
export async function proveSigned(
  table: Table,
  { text, address, nonce }: SignInMessage,
  signature: string,
  rpc: Rpc,
): Promise<void> {
  if (!(await consumeNonce({ table }, { nonce })))
    throw new PlatformError('unauthorized', 'The nonce is unknown, used or expired')
  if (!(await isSigned({ address, message: text, signature }, rpc)))
    throw new PlatformError('unauthorized', invalid(rpc))
}

function invalid({ url, setting }: Rpc): string {
  return url === undefined
    ? `Invalid signature; signatures of deployed smart wallets cannot be verified without ${setting}`
    : 'Invalid signature'
}
