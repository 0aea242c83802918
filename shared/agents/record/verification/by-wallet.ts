import { type Address, getAddress } from 'viem'
import { isSigned } from '#shared/money/evm/signature.ts'
import type { Chain } from './chain.ts'
import { verificationFailed, required } from './refusal.ts'
import type { VerificationRequest } from './schema.ts'

/**
 * Returns the wallet that signed `Verify agent <id>`. A key's signature needs no chain; a smart wallet's signature is
 * verified on the chain.
 * @throws PlatformError 400, 503 if the signature requires a chain that is not configured
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
  throw verificationFailed(
    rpc.url === undefined
      ? `the signature is not that of ${address}; those of deployed smart wallets need ${rpc.setting}`
      : `the signature is not that of ${address}`,
  )
}
