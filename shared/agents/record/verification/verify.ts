import { type Hex, type Address, getAddress } from 'viem'
import { isSigned } from '#shared/money/evm/signature.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import { ownerOf } from '../agent.ts'
import { changeAgent } from '../change.ts'
import type { Agent, AgentVerification } from '../record.ts'
import { readAttestation } from './by-attestation.ts'
import type { Chain } from './chain.ts'
import { required, verificationFailed } from './refusal.ts'
import type { VerificationRequest } from './schema.ts'

/**
 * Verifies an agent by a proof, and stores the verified identity.
 * @throws PlatformError 400 VERIFICATION_FAILED, 501 for webauthn, 503 if the chain of the proof is not configured
 */
export async function verifyAgent(
  ctx: AuditContext & { chain: Chain },
  { agent, request }: { agent: Agent; request: VerificationRequest },
): Promise<Agent> {
  const proof = await prove(ctx.chain, agent.id, request)
  const verification: AgentVerification = { ...proof, verifiedAt: new Date().toISOString() }
  return write(ctx, agent, verification)
}

/** Removes the verification. Does nothing without one. */
export function removeVerification(ctx: AuditContext, { agent }: { agent: Agent }): Promise<Agent> {
  return write(ctx, agent, undefined)
}

async function write(
  ctx: AuditContext,
  agent: Agent,
  verification: AgentVerification | undefined,
): Promise<Agent> {
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.verification === verification ? current : { ...current, verification },
    entry: ({ before, after }) =>
      audit(ctx, 'verification.changed', {
        userId: ownerOf(after),
        target: agent.id,
        before: before.verification,
        after: after.verification,
      }),
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  return stored
}

async function prove(
  chain: Chain,
  agentId: string,
  request: VerificationRequest,
): Promise<Omit<AgentVerification, 'verifiedAt'>> {
  const { verificationType: type } = request
  switch (type) {
    case 'coinbase': {
      const verifierAddress = await provenWallet(chain, agentId, request)
      return { type, attestationUid: null, verifierAddress, metadata: null }
    }
    case 'ens': {
      const verifierAddress = await provenWallet(chain, agentId, request)
      // Loaded on demand, because only names need the tables for normalization.
      const { primaryName } = await import('./by-name.ts')
      const name = await primaryName(chain, verifierAddress)
      return { type, attestationUid: null, verifierAddress, metadata: { name } }
    }
    case 'eas': {
      const uid = required(request.attestationUid, 'attestationUid') as Hex
      const { attester, schema } = await readAttestation(chain, uid, agentId)
      return { type, attestationUid: uid, verifierAddress: attester, metadata: { schema } }
    }
    case 'webauthn':
      throw new PlatformError('not-implemented', 'Verification by WebAuthn is not implemented')
  }
}

/**
 * Returns the wallet that signed `Verify agent <id>`. A key's signature needs no chain; a smart wallet's signature is
 * verified on the chain.
 * @throws PlatformError 400, 503 if the signature requires a chain that is not configured
 */
async function provenWallet(
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
      ? `the signature was not made by ${address}; signatures of deployed smart wallets need ${rpc.setting}`
      : `the signature was not made by ${address}`,
  )
}
