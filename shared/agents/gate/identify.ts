import { profileKey } from '../../accounts/user.ts'
import { equalInConstantTime } from '../../platform/crypto.ts'
import { notFound, PlatformError } from '../../platform/errors.ts'
import type { Table } from '../../platform/table/port.ts'
import { userPartition } from '../../platform/table/user-store.ts'
import { type Agent, agentKey, toAgent } from '../agent.ts'
import { gatewayToken } from '../secrets.ts'
import { type AccessClaims, readAccess } from './access.ts'
import type { Asked, GateContext } from './context.ts'
import { accessCookies } from './cookie.ts'
import { requireOwnPage } from './cross-site.ts'
import { agentAt } from './locate.ts'

/**
 * The agent that a request may reach: by the agent's gateway token or its owner's API key as bearer, or by an access
 * cookie. A bearer beats a cookie: whoever sends one means it.
 * @throws PlatformError 401 without a credential that is good, 404 with one of somebody else's, 403 CROSS_SITE
 */
export async function identify(
  ctx: GateContext,
  encryptionKey: string,
  subdomain: string,
  asked: Asked,
): Promise<Agent> {
  const bearer = /^Bearer +(\S+)$/i.exec(asked.authorization ?? '')?.[1]
  if (bearer?.startsWith('sk_')) return byUserKey(ctx, subdomain, bearer)
  if (bearer !== undefined) return byGatewayToken(ctx, encryptionKey, subdomain, bearer)
  const agent = await byCookie(ctx, encryptionKey, subdomain, asked)
  // Only a cookie is sent without the sender's page meaning it.
  requireOwnPage(asked, ctx.config.deployed)
  return agent
}

async function byUserKey(ctx: GateContext, subdomain: string, key: string): Promise<Agent> {
  const [user, agent] = await Promise.all([ctx.userKey(key), agentAt(ctx.table, subdomain)])
  if (user === undefined) throw unauthorized()
  if (agent === undefined || agent.userId !== user.id) throw notFound('Agent')
  return agent
}

async function byGatewayToken(
  { table }: GateContext,
  encryptionKey: string,
  subdomain: string,
  token: string,
): Promise<Agent> {
  const agent = await agentAt(table, subdomain)
  if (agent === undefined) throw unauthorized()
  const right = await gatewayToken(encryptionKey, agent.id, agent.tokenVersion)
  if (!(await equalInConstantTime(token, right))) throw unauthorized()
  return agent
}

/** Neighbours under the same domain may have set cookies of the same name, so each is looked at. */
async function byCookie(
  { table, config }: GateContext,
  encryptionKey: string,
  subdomain: string,
  { cookie }: Asked,
): Promise<Agent> {
  const values = accessCookies(cookie, config.deployed)
  const read = await Promise.all(values.map((value) => readAccess(encryptionKey, value)))
  const claims = read.filter((one) => one !== undefined)
  const agents = await Promise.all(claims.map((one) => accessible(table, one)))
  const found = agents.filter((agent) => agent !== undefined)
  const here = found.find((agent) => agent.subdomain === subdomain)
  if (here !== undefined) return here
  throw found.length > 0 ? notFound('Agent') : unauthorized()
}

/** The agent that was opened to somebody, while it still is: one read. */
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
  const good = profile?.accessEpoch === accessEpoch && proof !== undefined
  return good && agent && !agent.deleting ? agent : undefined
}

function unauthorized(): PlatformError {
  return new PlatformError('unauthorized', 'Unauthorized')
}
