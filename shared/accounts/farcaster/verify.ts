import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { platformAccess, type TokenGate } from '../token-gating/gate.ts'
import type { QuickAuth } from './identity.ts'
import { type HasFarcaster, proveFid } from './prove-fid.ts'
import type { FarcasterProof, FarcasterSession } from './schema.ts'
import { type ProvenIdentity, type SessionTokens, sessionTokens } from './session-token.ts'

/**
 * Opens a session for a caller who proves a Farcaster account, with a signed message or a quick-auth token.
 * @throws PlatformError 401 for an invalid proof, 503 if the method is not configured or its chain cannot be
 * reached
 */
export async function verifyFarcaster(
  context: Pick<Context, 'table'> &
    Can<'encryptionKey' | 'webUrl'> &
    HasFarcaster & { gate: TokenGate; quickAuth: QuickAuth },
  proof: FarcasterProof,
): Promise<FarcasterSession> {
  const tokens = await sessionTokens(context.encryptionKey, context.webUrl)
  const identity =
    'token' in proof ? await context.quickAuth(proof.token) : await proveFid(context, proof)
  return open(context, tokens, { ...identity, provenAt: epochSeconds() })
}

/**
 * Exchanges a valid session token for a new one; the address's token access is looked up again.
 * @throws PlatformError 401 for any other token
 */
export async function refreshFarcaster(
  context: Can<'encryptionKey' | 'webUrl'> & { gate: TokenGate },
  sessionToken: string,
): Promise<FarcasterSession> {
  const tokens = await sessionTokens(context.encryptionKey, context.webUrl)
  return open(context, tokens, await tokens.read(sessionToken))
}

async function open(
  { gate }: { gate: TokenGate },
  tokens: SessionTokens,
  identity: ProvenIdentity,
): Promise<FarcasterSession> {
  const access = await platformAccess(gate, identity.address)
  const { fid, address } = identity
  return {
    success: true,
    sessionToken: await tokens.issue(identity, access),
    fid,
    address,
    ...access,
  }
}
