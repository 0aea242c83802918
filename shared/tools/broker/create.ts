import { isIP } from 'node:net'
import { requireAgent } from '#shared/agents/record/find.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { AddressRefused, checkUrl } from '#shared/platform/http-client/public-url.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type Sealer, sealer } from '#shared/platform/seal.ts'
import { changeBrokerCredentials } from './change.ts'
import { type BrokerCredentials, valuePlace } from './credentials.ts'
import type { BrokerCredentialView, NewBrokerCredential } from './schema.ts'

/** The maximum number of credentials of an agent. They share one row, which every use of a credential reads. */
const maxCredentials = 20
const maxCharacters = 16_384

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
 * Stores an encrypted credential that an agent can use but not read. Replaces a credential with the same name.
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
    throw new PlatformError('bad-request', `An agent can have at most ${limit} ${what}`, {
      code: 'BROKER_CREDENTIALS_FULL',
      details: { limit },
    })
  }
  if (all.length > maxCredentials) refuse(maxCredentials, 'broker credentials')
  if (all.reduce((sum, { size }) => sum + size, 0) > maxCharacters)
    refuse(maxCharacters, 'characters of broker credentials in total')
}

/** A DNS name of at least two labels; some names contain underscores. */
const name =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[\w-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Checks a host without network access. Each connection checks the addresses that its name resolves to.
 * @param allowed FETCH_ALLOW_HOSTS; empty when deployed
 * @returns the fault, or undefined if the host is valid
 */
function hostFault(host: string, allowed: readonly string[]): string | undefined {
  const url = URL.parse(`https://${host}/`)
  // URL drops :443 and rewrites upper case, numbers in other bases and other scripts.
  if (url === null || url.host !== host || url.username !== '' || url.pathname !== '/')
    return 'must be a lower-case name, with its port after ":" unless it is 443'
  try {
    if (checkUrl(url, allowed, true)) return undefined
  } catch (error) {
    if (error instanceof AddressRefused) return 'must be a public host'
    throw error
  }
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return 'must be a name, not an address'
  if (!name.test(url.hostname)) return 'must be the whole name of a host'
  return undefined
}
