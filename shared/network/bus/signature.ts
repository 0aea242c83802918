import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentMessage } from '#shared/money/agent-message/message.ts'
import { signedText } from '#shared/money/agent-message/signed-text.ts'
import { signerOf } from '#shared/money/evm/signature.ts'
import type { Wallet } from '#shared/money/wallets/rows.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Parties } from './parties.ts'

/** The maximum difference between a message's time and the current time, in milliseconds: contract.md 9. */
const windowMs = 5 * 60_000

/**
 * Checks that the sender's named wallet signed a message. Contract signatures (ERC-1271) are not supported: their
 * validity may change, and checking it on the chain would delay the message.
 * @returns the sender
 * @throws PlatformError 401
 */
export async function requireSigned(
  message: AgentMessage,
  { sender, wallet }: Pick<Parties, 'sender' | 'wallet'>,
): Promise<Agent> {
  const named = message.from.walletAddress.toLowerCase()
  // The signer is computed for an unknown agent too, so that the response time does not reveal which agents exist.
  const signer = await signerOf({ message: signedText(message), signature: message.signature })
  const holds = sender !== undefined && registeredWallets(sender, wallet).includes(named)
  if (!holds || signer?.toLowerCase() !== named)
    throw unauthorized('The signature was not made by a wallet of from.agentId')
  return sender
}

/**
 * Returns the wallets that may sign for an agent, in lower case: its own wallet, and the wallet of its verification.
 * The attester of an attestation vouches for the agent but does not sign for it.
 */
function registeredWallets({ verification }: Agent, own: Wallet | undefined): string[] {
  const verified = verification?.type === 'eas' ? undefined : verification?.verifierAddress
  return [own?.address, verified]
    .filter((address) => address !== undefined)
    .map((address) => address.toLowerCase())
}

/** @throws PlatformError 401 for an old, future or expired message */
export function requireInTime({ timestamp, metadata }: AgentMessage, now: number): void {
  if (Math.abs(now - Date.parse(timestamp)) > windowMs)
    throw unauthorized('timestamp is more than five minutes from now')
  if (metadata?.expiresAt !== undefined && Date.parse(metadata.expiresAt) <= now)
    throw unauthorized('The message has expired: metadata.expiresAt')
}

function unauthorized(message: string): PlatformError {
  return new PlatformError('unauthorized', message)
}
