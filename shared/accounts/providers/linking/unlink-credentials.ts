import { type EndsAgentWebhooks, removeAccess } from '#shared/accounts/users/end-sessions.ts'
import { renewAccess } from '#shared/accounts/users/renew-access.ts'
import type { User } from '#shared/accounts/users/user.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'

/**
 * Removes every credential of an account in one transaction: its password, its keys, its sessions with their reset
 * links and email changes; and the provider keys that would show what its owner asks models.
 * @param user as last read
 * @returns the new access epoch; undefined if the user has changed in the meantime
 */
export async function unlinkCredentials(
  ctx: AuditContext & EndsAgentWebhooks,
  user: User,
): Promise<number | undefined> {
  const { id, passwordHash } = user
  const own = { userId: id, target: id }
  await ctx.endAgentWebhooks(ctx.table, id)
  const outcome = await renewAccess(ctx, {
    user,
    remove: ['passwordHash'],
    endKeys: true,
    also: {
      passwordAudit:
        passwordHash === undefined
          ? undefined
          : await audit(ctx, 'password.changed', {
              ...own,
              before: { hasPassword: true },
              after: { hasPassword: false },
            }),
    },
  })
  if (outcome !== 'renewed') return undefined
  await removeAccess(ctx, user)
  return user.accessEpoch + 1
}
