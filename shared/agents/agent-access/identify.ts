import { credentialRow, isExpiredCredential } from '#shared/accounts/keys/credential.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { equalInConstantTime } from '#shared/platform/crypto.ts'
import { notFound, PlatformError, scopeRequired } from '#shared/platform/errors.ts'
import { allows } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { type Agent, agentKey, toAgent, ownerOf } from '../record/agent.ts'
import { findAgent } from '../record/find.ts'
import { subdomainRows } from '../record/rows.ts'
import { gatewayToken } from '../record/secrets.ts'
import { type AccessClaims, readAccess } from './access.ts'
import type { HostRequest, GateContext } from './context.ts'
import { accessCookies } from './cookie.ts'

export interface Admitted {
  agent: Agent
  /** The session or key that the request came with; undefined for the gateway token. */
  access: AccessClaims | undefined
}

/**
 * Returns the agent that a request can access: by the agent's gateway token or its owner's API key as bearer, or by an
 * access cookie. A bearer takes precedence over a cookie, because a client sends it on purpose.
 * @throws PlatformError 401 without a valid credential, 404 with another user's, 403 CROSS_SITE, and 403 SCOPE_REQUIRED
 * for a key without the scope `write`
 */
export async function identify(
  ctx: GateContext,
  encryptionKey: string,
  subdomain: string,
  request: HostRequest,
): Promise<Admitted> {
  const bearer = /^Bearer +(\S+)$/i.exec(request.authorization ?? '')?.[1]
  if (bearer?.startsWith('sk_')) return byUserKey(ctx, subdomain, bearer)
  if (bearer !== undefined) return byGatewayToken(ctx, encryptionKey, subdomain, bearer)
  const admitted = await byCookie(ctx, encryptionKey, subdomain, request)
  // Browsers send cookies without the intent of the sending page.
  requireOwnPage(request, ctx.config.deployed)
  return admitted
}

async function byUserKey(ctx: GateContext, subdomain: string, key: string): Promise<Admitted> {
  const [user, agent] = await Promise.all([ctx.userKey(key), agentAt(ctx.table, subdomain)])
  if (user === undefined) throw unauthorized()
  // A request to the agent's server can change anything, with any method.
  if (!allows(user.scopes, 'write', 'POST')) throw scopeRequired('write')
  if (agent === undefined || agent.userId !== user.id) throw notFound('Agent')
  const { id: userId, accessEpoch } = user
  return {
    agent,
    access: { agentId: agent.id, userId, accessEpoch, credential: credentialRow(user) },
  }
}

async function byGatewayToken(
  { table }: GateContext,
  encryptionKey: string,
  subdomain: string,
  token: string,
): Promise<Admitted> {
  const agent = await agentAt(table, subdomain)
  if (agent === undefined) throw unauthorized()
  const right = await gatewayToken(encryptionKey, agent.id, agent.tokenVersion)
  if (!(await equalInConstantTime(token, right))) throw unauthorized()
  return { agent, access: undefined }
}

/** Sibling hosts may have set cookies of the same name, so each one is checked. */
async function byCookie(
  { table, config }: GateContext,
  encryptionKey: string,
  subdomain: string,
  { cookie }: HostRequest,
): Promise<Admitted> {
  const values = accessCookies(cookie, config.deployed)
  const read = await Promise.all(values.map((value) => readAccess(encryptionKey, value)))
  const claims = read.filter((one) => one !== undefined)
  const admitted = await Promise.all(
    claims.map(async (access) => ({ agent: await accessible(table, access), access })),
  )
  const found = admitted.flatMap(({ agent, access }) => (agent ? [{ agent, access }] : []))
  const here = found.find(({ agent }) => agent.subdomain === subdomain)
  if (here !== undefined) return here
  throw found.length > 0 ? notFound('Agent') : unauthorized()
}

/** Returns the agent of valid claims, with one read. */
export async function accessible(
  table: Table,
  { agentId, userId, accessEpoch, credential }: AccessClaims,
): Promise<Agent | undefined> {
  const pk = userPartition(userId)
  const [item, profile, proof] = await table.getMany([
    agentKey({ userId, agentId }),
    { pk, sk: profileKey },
    { pk, sk: credential },
  ])
  const agent = item && toAgent(item)
  const isValid = proof !== undefined && !isExpiredCredential(credential, proof)
  const good = isValid && profile?.accessEpoch === accessEpoch
  return good && agent && !agent.deleting ? agent : undefined
}

function unauthorized(): PlatformError {
  return new PlatformError('unauthorized', 'Unauthorized')
}

const readingMethods = new Set(['GET', 'HEAD'])

/**
 * Rejects requests that a page of another origin makes a browser send with the access cookie. To browsers, other
 * agents' hosts are the same site, so SameSite does not separate them; Fetch metadata headers do, because pages cannot
 * change them. Following a link to the agent is allowed, framing it in another page is not.
 * @throws PlatformError 403 CROSS_SITE
 */
function requireOwnPage(request: HostRequest, deployed: boolean): void {
  const { host, method, origin, site, mode, destination } = request
  const own = `http${deployed ? 's' : ''}://${host.toLowerCase()}`
  if (origin !== undefined && origin !== own) refuse()
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (!readingMethods.has(method) || mode !== 'navigate' || destination !== 'document') refuse()
}

function refuse(): never {
  throw new PlatformError('forbidden', 'The request comes from another site', {
    code: 'CROSS_SITE',
  })
}

/** Returns the agent of a subdomain, with two reads, or one if there is no agent. */
async function agentAt(table: Table, subdomain: string): Promise<Agent | undefined> {
  const row = await table.get(subdomainRows.key({ subdomain }))
  if (row === undefined) return undefined
  const { agentId, userId } = subdomainRows.parse(row)
  return findAgent({ table }, { agentId, owner: ownerOf({ userId }) })
}
