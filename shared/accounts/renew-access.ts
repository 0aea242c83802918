import { withoutConflicts } from '../platform/table/conflict.ts'
import { type Table, TransactionFailed, type Update, type Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { sessionKey } from './session.ts'
import { profileKey, type User } from './user.ts'

export interface Renewal {
  /** What changes in the user's row in the same moment. */
  set?: Update['set']
  remove?: Update['remove']
  /** The token hash of the one session that goes on. */
  keep?: string | undefined
  /** What else must be true in the same moment. */
  alongside?: readonly Write[]
}

/**
 * Begins a user's next access epoch: in one transaction the user's row changes and every session, reset link and email
 * change of before becomes void, even if the process ends right after it.
 * @param user as last read; whoever changed their address or epoch meanwhile wins
 * @returns `outdated` where the user is no longer as read or `alongside` was refused, `ended` where the session to keep
 * is over; neither changes anything
 */
export async function renewAccess(
  table: Table,
  user: Pick<User, 'id' | 'email' | 'accessEpoch'>,
  { set, remove = [], keep, alongside = [] }: Renewal,
): Promise<'renewed' | 'outdated' | 'ended'> {
  const { write } = userStore(table, user.id)
  const accessEpoch = user.accessEpoch + 1
  const profile = write.update(profileKey, {
    set: { ...set, accessEpoch },
    remove: ['pendingEmail', ...remove],
    if: '#accessEpoch = :seen AND #email = :email',
    values: { seen: user.accessEpoch, email: user.email },
  })
  const kept =
    keep === undefined
      ? []
      : [write.update(sessionKey(keep), { set: { accessEpoch }, if: 'attribute_exists(pk)' })]
  try {
    await withoutConflicts(() => table.transact([profile, ...alongside, ...kept]))
    return 'renewed'
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (keep !== undefined && error.refused(1 + alongside.length)) return 'ended'
    if (error.reasons.some((_, index) => error.refused(index))) return 'outdated'
    throw error
  }
}
