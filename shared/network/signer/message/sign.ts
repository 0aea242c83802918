import { hashMessage, type Hex, isAddress, isAddressEqual, serializeSignature } from 'viem'
import { signedText } from '#shared/money/agent-message/signed-text.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { PlatformActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { signHash } from '../keys/curve.ts'
import type { HasKeySeals } from '../keys/port.ts'
import { withKey } from '../keys/use.ts'
import { createWallet } from '../wallet/create.ts'
import type { AgentMessage } from './schema.ts'

/**
 * Signs a message with its sender's own wallet (EIP-191, whose prefix prevents use as a transaction's signature).
 * @throws PlatformError 400 for a sender or address other than the agent's own, 404 for an unknown agent
 */
export async function signMessage(
  ctx: Pick<Context<PlatformActor>, 'actor' | 'table' | 'requestId'> & HasKeySeals,
  { agentId, message }: { agentId: string; message: AgentMessage },
): Promise<{ address: Hex; signature: Hex }> {
  if (message.from.agentId !== agentId)
    throw new PlatformError('bad-request', 'from.agentId must be the agent that signs')
  const { address } = await createWallet(ctx, { agentId })
  const { walletAddress = address } = message.from
  if (!isAddress(walletAddress, { strict: false }) || !isAddressEqual(walletAddress, address))
    throw new PlatformError('bad-request', 'from.walletAddress must be the agent’s own wallet')
  const text = signedText({ ...message, from: { ...message.from, walletAddress } })
  const signature = await withKey(ctx, { agentId, address }, (key) =>
    signHash(key, hashMessage(text)),
  )
  return { address, signature: serializeSignature(signature) }
}
