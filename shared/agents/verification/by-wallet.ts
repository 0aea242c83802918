import { type Address, getAddress } from 'viem'
import { isSigned } from '../../evm/signature.ts'
import type { Chain } from './chain.ts'
import { refused, required } from './refusal.ts'
import type { VerificationRequest } from './schema.ts'

/**
 * The wallet that has signed `Verify agent <id>`. A key's signature needs no chain; that of a smart wallet is asked of
 * the chain.
 * @throws PlatformError 400, 503 where only an absent chain could tell
 */
export async function provenWallet(
  { rpc }: Chain,
  agentId: string,
  request: VerificationRequest,
): Promise<Address> {
  const address = getAddress(required(request.walletAddress, 'walletAddress'))
  const signature = required(request.signature, 'signature')
  const message = `Verify agent ${agentId}`
  if (await isSigned({ address, message, signature }, rpc)) return address
  throw refused(
    rpc.url === undefined
      ? `the signature is not that of ${address}; those of deployed smart wallets need ${rpc.setting}`
      : `the signature is not that of ${address}`,
  )
}
