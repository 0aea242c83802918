import * as z from 'zod'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Agent, ownerOf } from '../record/agent.ts'
import { findAgent } from '../record/find.ts'
import { type AccessClaims, accessClaims } from './access.ts'
import type { GateContext } from './context.ts'
import { accessible } from './identify.ts'
import { readClaims, signClaims } from './signed-claims.ts'

const purpose = 'connection-lease'

/** Longer than the maximum lifetime of a connection. */
const leaseSeconds = 12 * 60 * 60

/** The credential that opened a connection: a session or key, or the gateway token of an agent. */
const leaseClaims = z.union([
  accessClaims,
  z.object({ agentId: z.string(), userId: z.string(), tokenVersion: z.number() }),
])

/**
 * Signs a lease of a connection, for a router that asks the gate only once. The agent's gateway renews it while the
 * connection is open. The lease contains no credential and opens nothing.
 */
export function signLease(
  encryptionKey: string,
  { agent, access }: { agent: Agent; access: AccessClaims | undefined },
  now = Date.now(),
): Promise<string> {
  const { id: agentId, tokenVersion } = agent
  const claims = access ?? { agentId, userId: ownerOf(agent), tokenVersion }
  const expiresAt = epochSeconds(now) + leaseSeconds
  return signClaims(encryptionKey, purpose, { ...claims, expiresAt })
}

/**
 * Checks that the credential of a connection is still valid.
 * @throws PlatformError 401 if it is not, or if the agent is deleted
 */
export async function renewLease(ctx: GateContext, lease: string): Promise<void> {
  const { WALLET_ENCRYPTION_KEY: key } = ctx.config
  if (key === undefined) throw notConfigured('Reaching agents', ['WALLET_ENCRYPTION_KEY'])
  const claims = await readClaims(key, { purpose, value: lease, schema: leaseClaims })
  if (claims === undefined || !(await isValid(ctx, claims)))
    throw new PlatformError('unauthorized', 'Unauthorized')
}

async function isValid(
  { table }: Pick<GateContext, 'table'>,
  claims: z.output<typeof leaseClaims>,
): Promise<boolean> {
  if ('credential' in claims) return (await accessible(table, claims)) !== undefined
  const { agentId, userId: owner, tokenVersion } = claims
  const agent = await findAgent({ table }, { agentId, owner })
  return agent?.tokenVersion === tokenVersion
}
