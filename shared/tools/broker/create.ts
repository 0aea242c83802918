import { requireAgent } from '#shared/agents/record/find.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type Sealer, sealer } from '#shared/platform/seal.ts'
import { changeBrokerCredentials } from './change.ts'
import { type BrokerCredentials, valuePlace } from './credentials.ts'
import { hostFault } from './host.ts'
import type { BrokerCredentialView, NewBrokerCredential } from './schema.ts'

/** The most credentials of an agent. They share one row, which every use of a credential reads. */
const mostCredentials = 20
const mostCharacters = 16_384

export interface BrokerSettings {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  /** FETCH_ALLOW_HOSTS; empty when deployed. */
  allowed: readonly string[]
}

/** @throws PlatformError 503 without a key */
export function brokerSealer({ encryptionKey }: Pick<BrokerSettings, 'encryptionKey'>): Sealer {
  if (encryptionKey === undefined) throw notConfigured('The broker', ['WALLET_ENCRYPTION_KEY'])
  return sealer(encryptionKey)
}

/**
 * Stores a credential, encrypted, that an agent may use but not read. Replaces a credential with the same name.
 * @throws PlatformError 400 for a forbidden host, 400 BROKER_CREDENTIALS_FULL with limit, 404, 503 without an
 * encryption key
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
  const agent = await requireAgent(ctx, { agentId, owner: ctx.owner })
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
