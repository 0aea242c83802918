import { audit, type AuditContext } from '../identity/audit.ts'
import { beside, type Parts, tryCommit } from '../platform/table/commit.ts'
import type { Update } from '../platform/table/port.ts'
import { present } from '../platform/table/present.ts'
import { userStore } from '../platform/table/user-store.ts'
import { sessionRows } from './rows.ts'
import { profileKey, type User } from './user.ts'

/** What the verbs that end sessions stand on. */
export type AccessContext = AuditContext

export interface Renewal {
  /** As last read; another change of their address or epoch meanwhile wins. */
  user: Pick<User, 'id' | 'email' | 'accessEpoch' | 'keyEpoch' | 'byok'>
  /** What changes in the user's row in the same moment. */
  set?: Update['set']
  remove?: Update['remove']
  /** The token hash of the one session that goes on. */
  keep?: string | undefined
  /**
   * Ends every API key and webhook endpoint as well, and forgets the user's collector and provider keys, so that the
   * platform sends neither of them what the user asks models: another person may have entered them.
   */
  endKeys?: boolean
  /** Writes of the same transaction. */
  also?: Parts
}

/**
 * Begins a user's next access epoch: in one transaction the user's row changes and every session, reset link and email
 * change of before becomes void, even if the process ends right after it.
 * @returns `outdated` where the user is no longer as read or a part of `also` was refused, `ended` where the session to
 * keep is over; neither changes anything
 */
export async function renewAccess(
  ctx: AccessContext,
  { user, set, remove = [], keep, endKeys = false, also = {} }: Renewal,
): Promise<'renewed' | 'outdated' | 'ended'> {
  const { write } = userStore(ctx.table, user.id)
  const before = { accessEpoch: user.accessEpoch, keyEpoch: user.keyEpoch ?? 0 }
  const accessEpoch = user.accessEpoch + 1
  const keyEpoch = endKeys ? nextKeyEpoch(user) : before.keyEpoch
  const refusals = await tryCommit(
    ctx.table,
    beside(
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
                ...present(),
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

/** The part of the audit for the provider keys that go; none where there are none. */
function byokRemoved(ctx: AccessContext, { id, byok }: Renewal['user']) {
  if (byok === undefined) return undefined
  return audit(ctx, 'byok.disabled', {
    userId: id,
    target: 'all',
    before: { providers: Object.keys(byok).toSorted() },
    after: { providers: [] },
  })
}

/** The number that a user's keys will bear once all that there are have ended. */
export function nextKeyEpoch({ keyEpoch = 0 }: Pick<User, 'keyEpoch'>): number {
  return keyEpoch + 1
}
