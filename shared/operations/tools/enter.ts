import { PlatformError } from '#shared/platform/errors.ts'
import type { UserActor } from '#shared/platform/identity/actor.ts'
import { type AuditAction, audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import { commit } from '#shared/platform/table/commit.ts'

type View =
  Extract<AuditAction, `operator.${string}`> extends `operator.${infer Name}` ? Name : never

/**
 * Requires an administrator with a session; an API key is not enough, because several people may have it. The access is
 * recorded in the administrator's audit before the data are returned.
 * @throws PlatformError 403 ADMIN_REQUIRED
 */
export async function enterOperation(
  ctx: AuditContext & { actor: UserActor },
  { view, target = view, asked }: { view: View; target?: string; asked?: unknown },
): Promise<void> {
  const { user, via } = ctx.actor
  if (!user.isAdmin || via !== 'session') {
    const message = 'This requires the session of an administrator'
    throw new PlatformError('forbidden', message, { code: 'ADMIN_REQUIRED' })
  }
  await commit(ctx.table, {
    audit: await audit(ctx, `operator.${view}`, { userId: user.id, target, after: asked }),
  })
}
