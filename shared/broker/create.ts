import { requireAgent } from '../agents/find.ts'
import type { UserContext } from '../identity/context.ts'
import { notConfigured, PlatformError } from '../platform/errors.ts'
import { type Sealer, sealer } from '../platform/seal.ts'
import { changeBrokerCredentials } from './change.ts'
import { type BrokerCredentials, valuePlace } from './credentials.ts'
import { hostFault } from './host.ts'
import type { BrokerCredentialView, NewBrokerCredential } from './schema.ts'

/** Of one agent's. All of them are one row, which each use of one reads. */
const mostCredentials = 20
const mostCharacters = 16_384

export interface BrokerSettings {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  /** FETCH_ALLOW_HOSTS, and nothing when deployed. */
  allowed: readonly string[]
}

/** @throws PlatformError 503 without a key */
export function brokerSealer({ encryptionKey }: Pick<BrokerSettings, 'encryptionKey'>): Sealer {
  if (encryptionKey === undefined) throw notConfigured('The broker', ['WALLET_ENCRYPTION_KEY'])
  return sealer(encryptionKey)
}

/**
 * Keeps a credential that one of a user's agents may use but not read, sealed; one of the same name is replaced.
 * @throws PlatformError 400 for a host that may not be spoken to, 400 BROKER_CREDENTIALS_FULL with limit, 404, 503 without
 * a key to seal it
 */
export async function createBrokerCredential(
  ctx: UserContext & BrokerSettings,
  { agentId, name, hosts, header, value }: NewBrokerCredential & { agentId: string },
): Promise<BrokerCredentialView> {
  const seals = brokerSealer(ctx)
  for (const host of hosts) {
    const fault = hostFault(host, ctx.allowed)
    if (fault !== undefined) throw new PlatformError('bad-request', `hosts: ${host} ${fault}`)
  }
  const agent = await requireAgent(ctx, { agentId, owner: ctx.actor.user.id })
  const sealed = await seals.seal(value, valuePlace(agentId, name, { header, hosts }))
  const createdAt = new Date().toISOString()
  const size = [name, header, value, ...hosts].join('').length
  await changeBrokerCredentials(ctx.table, agent, (current) => {
    const next = { ...current, [name]: { hosts, header, sealed, size, createdAt } }
    requireRoom(next)
    return next
  })
  return { name, hosts, createdAt }
}

function requireRoom(credentials: BrokerCredentials): void {
  const all = Object.values(credentials)
  const refuse = (limit: number, what: string) => {
    throw new PlatformError('bad-request', `An agent may have ${limit} ${what}`, {
      code: 'BROKER_CREDENTIALS_FULL',
      details: { limit },
    })
  }
  if (all.length > mostCredentials) refuse(mostCredentials, 'broker credentials')
  if (all.reduce((sum, { size }) => sum + size, 0) > mostCharacters)
    refuse(mostCharacters, 'characters of broker credentials together')
}
