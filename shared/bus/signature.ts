import type { Agent } from '../agents/agent.ts'
import type { AgentMessage } from '../agent-message/message.ts'
import { signedText } from '../agent-message/signed-text.ts'
import { signerOf } from '../evm/signature.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Wallet } from '../wallets/rows.ts'
import type { Parties } from './parties.ts'

/** How far a message's time may be from ours, either way, in milliseconds: contract.md 9. */
const windowMs = 5 * 60_000

/**
 * Checks that a message was signed by the wallet that it names, and that this is one of the sender's. Keys alone sign
 * here: a contract's word (ERC-1271) may be another tomorrow, and asking the chain for it would hold up the message.
 * @returns the sender
 * @throws PlatformError 401
 */
export async function requireSigned(
  message: AgentMessage,
  { sender, wallet }: Pick<Parties, 'sender' | 'wallet'>,
): Promise<Agent> {
  const named = message.from.walletAddress.toLowerCase()
  // Recovered for an agent that is not there too, so that the time it takes does not tell which are.
  const signer = await signerOf({ message: signedText(message), signature: message.signature })
  const holds = sender !== undefined && registeredWallets(sender, wallet).includes(named)
  if (!holds || signer?.toLowerCase() !== named)
    throw unauthorized('The signature is not that of a wallet of from.agentId')
  return sender
}

/**
 * The wallets that sign for an agent, in lower case: its own, and the one that it was verified by. The attester of an
 * attestation vouches for the agent and does not sign for it.
 */
function registeredWallets({ verification }: Agent, own: Wallet | undefined): string[] {
  const verified = verification?.type === 'eas' ? undefined : verification?.verifierAddress
  return [own?.address, verified]
    .filter((address) => address !== undefined)
    .map((address) => address.toLowerCase())
}

/** @throws PlatformError 401 for a message of another time, and for one that has expired */
export function requireInTime({ timestamp, metadata }: AgentMessage, now: number): void {
  if (Math.abs(now - Date.parse(timestamp)) > windowMs)
    throw unauthorized('timestamp is more than five minutes from now')
  if (metadata?.expiresAt !== undefined && Date.parse(metadata.expiresAt) <= now)
    throw unauthorized('The message has expired: metadata.expiresAt')
}

function unauthorized(message: string): PlatformError {
  return new PlatformError('unauthorized', message)
}
