import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import { mergeParts, type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import { ifPresent } from '#shared/platform/table/if-present.ts'
import type { Update } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { sessionRows } from './rows.ts'
import { profileKey, type User } from './user.ts'

export interface Renewal {
  /** The user as last read; if the address or an epoch has changed since, the renewal fails. */
  user: Pick<User, 'id' | 'email' | 'accessEpoch' | 'keyEpoch' | 'byok'>
  /** Changes of the user's row in the same transaction. */
  set?: Update['set']
  remove?: Update['remove']
  /** The token hash of the only session that remains valid. */
  keep?: string | undefined
  /**
   * Also ends every API key and webhook endpoint, and removes the user's collector and model provider keys: another
   * person may have set them, and must not receive the user's requests to models.
   */
  endKeys?: boolean
  /** Additional writes in the same transaction. */
  also?: Parts
}

/**
 * Starts a user's next access epoch: one transaction changes the user's row and voids every earlier session, reset
 * link and email change, even if the process ends right after it.
 * @returns `outdated` if the user has changed or a part of `also` was refused, `ended` if the session to keep has
 * ended; both change nothing
 */
export async function renewAccess(
  ctx: AuditContext,
  { user, set, remove = [], keep, endKeys = false, also = {} }: Renewal,
): Promise<'renewed' | 'outdated' | 'ended'> {
  const { write } = userStore(ctx.table, user.id)
  const before = { accessEpoch: user.accessEpoch, keyEpoch: user.keyEpoch ?? 0 }
  const accessEpoch = user.accessEpoch + 1
  const keyEpoch = endKeys ? nextKeyEpoch(user) : before.keyEpoch
  const refusals = await tryCommit(
    ctx.table,
    mergeParts(
      {
        user: write.update(profileKey, {
          set: { ...set, accessEpoch, ...(endKeys && { keyEpoch, keyCount: 0 }) },
          remove: ['pendingEmail', ...(endKeys ? ['telemetry', 'byok'] : []), ...remove],
          if: '#accessEpoch = :seen AND #email = :email',
          values: { seen: user.accessEpoch, email: user.email },
        }),
        kept:
          keep === undefined
            ? undefined
            : write.update(sessionRows.sk({ tokenHash: keep }), {
                set: { accessEpoch },
                ...ifPresent(),
              }),
        audit: await audit(ctx, 'sessions.ended', {
          userId: user.id,
          target: user.id,
          before,
          after: { accessEpoch, keyEpoch },
        }),
        byokAudit: endKeys ? await byokRemoved(ctx, user) : undefined,
      },
      also,
    ),
  )
  if (refusals === undefined) return 'renewed'
  return refusals.kept === undefined ? 'outdated' : 'ended'
}

/** Returns the audit part for removed provider keys; undefined if the user has none. */
function byokRemoved(ctx: AuditContext, { id, byok }: Renewal['user']) {
  if (byok === undefined) return undefined
  return audit(ctx, 'byok.disabled', {
    userId: id,
    target: 'all',
    before: { providers: Object.keys(byok).toSorted() },
    after: { providers: [] },
  })
}

/** Returns the next key epoch, which makes all current keys void. */
export function nextKeyEpoch({ keyEpoch = 0 }: Pick<User, 'keyEpoch'>): number {
  return keyEpoch + 1
}
