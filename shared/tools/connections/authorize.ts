import { requireAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { ConnectionSettings } from './context.ts'
import { requireConnection } from './find.ts'
import { readTools } from './read-tools.ts'
import { connectionToolRows } from './rows.ts'
import type { ConnectionView } from './schema.ts'
import { ServerFailure } from './server/failure.ts'
import { beginSignIn, prepareSignIn } from './sign-in.ts'
import { viewOf } from './view.ts'

/**
 * Reads the tools of a connection again, and begins a sign-in if the server requires one.
 * @throws PlatformError 404, 502 CONNECTION_UNREACHABLE or CONNECTION_DISCOVERY_FAILED, 503 CONNECTION_BUSY or without
 * an encryption key
 */
export async function authorizeConnection(
  ctx: UserContext & ConnectionSettings,
  { agentId, name }: { agentId: string; name: string },
): Promise<ConnectionView> {
  const { table, owner } = ctx
  await requireAgent(ctx, { agentId, owner })
  const agent = { userId: owner, agentId }
  const failed = await readTools(ctx, { agent, name })
  const needsSignIn = failed !== undefined && requiresSignIn(failed)
  if (failed instanceof PlatformError && !needsSignIn) throw failed
  const connection = await requireConnection(table, agent, name)
  const kept = await connectionToolRows.find(table, { ...agent, name }, { consistent: true })
  const view = viewOf(connection, kept)
  const wantsMore = connection.wantedScope !== undefined
  if (failed === undefined && !wantsMore) return view
  if (failed !== undefined && !needsSignIn)
    throw new PlatformError('bad-gateway', failed.message, {
      code: 'CONNECTION_UNREACHABLE',
      foreign: true,
      cause: failed,
    })
  const { url, createdAt, server: before, wantedScope } = connection
  const prepared = await prepareSignIn(ctx, { agentId, name, url, before, wantedScope })
  const session = ctx.actor.user.sessionHash
  const authorizeUrl = await beginSignIn(ctx, { agent, name, createdAt, session, prepared })
  return { ...view, authorizeUrl }
}

function requiresSignIn(failure: ServerFailure | PlatformError): boolean {
  if (failure instanceof ServerFailure)
    return failure.kind === 'unauthorized' || failure.kind === 'scope'
  return failure.code === 'CONNECTION_SIGNED_OUT'
}
