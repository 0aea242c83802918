import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { agentMark } from '#shared/agents/record/mark.ts'
import { limitReached, notFound, PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import { addressRefused, requireServerUrl } from './address.ts'
import { auditPart } from './audited.ts'
import { connectionSealer, type ConnectionSettings } from './context.ts'
import type { Connection } from './find.ts'
import { keptTools, toolsOf } from './read-tools.ts'
import { connectionCountRows, connectionRows, connectionToolRows } from './rows.ts'
import type { ConnectionView, NewConnection } from './schema.ts'
import { ServerFailure } from './server/failure.ts'
import { beginSignIn, prepareSignIn } from './sign-in.ts'
import { viewOf } from './view.ts'

/** The most connections of an agent: contract.md 18. */
const connectionLimit = 20

/**
 * Connects an agent to an MCP server. If the server requires a sign-in, the connection is pending, and its owner signs
 * in at `authorizeUrl`.
 * @throws PlatformError 400 for a private address, 404, 409 CONNECTION_EXISTS, 409 CONNECTION_LIMIT_REACHED, 502
 * CONNECTION_UNREACHABLE or CONNECTION_DISCOVERY_FAILED, 503 without an encryption key
 */
export async function createConnection(
  ctx: UserContext & ConnectionSettings,
  { agentId, name, url, client }: NewConnection & { agentId: string },
): Promise<ConnectionView> {
  const { table, owner } = ctx
  connectionSealer(ctx)
  requireServerUrl(url, ctx)
  const agent = await requireAgent(ctx, { agentId, owner })
  const key = { userId: owner, agentId, name }
  const [existing, count] = await Promise.all([
    connectionRows.find(table, key),
    connectionCountRows.find(table, { userId: owner, agentId }),
  ])
  if (existing !== undefined) throw exists(name)
  if ((count?.count ?? 0) >= connectionLimit) throw full()
  const begun = {
    name,
    url,
    createdAt: new Date().toISOString(),
    allow: [],
    readOnly: [],
    revision: 1,
  }
  const tools = await toolsWithoutSignIn(ctx, url)
  if (tools !== undefined) {
    const kept = keptTools({ userId: owner, agentId }, name, tools)
    const { readOnly, mirrored, put } = kept
    const connection = { ...begun, state: 'connected' as const, readOnly, mirrored }
    await insert(ctx, agent, connection, { tools: { put } })
    return viewOf(connection, connectionToolRows.parse(put))
  }
  const prepared = await prepareSignIn(ctx, { agentId, name, url, client })
  const connection = { ...begun, state: 'pending' as const, server: prepared.server }
  await insert(ctx, agent, connection)
  const authorizeUrl = await beginSignIn(ctx, {
    agent: { userId: owner, agentId },
    name,
    createdAt: begun.createdAt,
    session: ctx.actor.user.sessionHash,
    prepared,
  })
  return { ...viewOf(connection, undefined), authorizeUrl }
}

/** @returns undefined if the server requires a sign-in */
async function toolsWithoutSignIn(ctx: ConnectionSettings, url: string) {
  try {
    return await toolsOf(ctx, { url, headers: {}, secrets: [] })
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    if (error.kind === 'unauthorized') return undefined
    if (error.kind === 'refused') throw addressRefused()
    throw new PlatformError('bad-gateway', error.message, {
      code: 'CONNECTION_UNREACHABLE',
      foreign: true,
      cause: error,
    })
  }
}

async function insert(
  ctx: UserContext,
  agent: Agent,
  connection: Connection,
  also: { tools?: { put: ReturnType<typeof keptTools>['put'] } } = {},
): Promise<void> {
  const { table, owner } = ctx
  const { name } = connection
  const place = { userId: owner, agentId: agent.id }
  const existing = await insertCounted(table, {
    put: connectionRows.put({ ...place, name }, connection),
    count: {
      in: connectionCountRows.key(place),
      attribute: 'count',
      limit: connectionLimit,
    },
    also: {
      ...also,
      agent: agentMark(table, agent, 'hasConnections', true),
      audit: await auditPart(ctx, place, { after: connection }),
    },
    limitReached: full,
    errors: { agent: () => notFound('Agent') },
  })
  if (existing !== undefined) throw exists(name)
}

function exists(name: string): PlatformError {
  return new PlatformError('conflict', `The agent already has a connection named ${name}`, {
    code: 'CONNECTION_EXISTS',
  })
}

const full = () =>
  limitReached(
    'CONNECTION_LIMIT_REACHED',
    `The agent has ${connectionLimit} connections already; delete one to create another`,
    { limit: connectionLimit },
  )
