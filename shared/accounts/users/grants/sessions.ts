import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { ifPresent } from '#shared/platform/table/if-present.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { ShownSession } from '../sessions.ts'
import { grantRows } from './rows.ts'

/** Returns the caller's programs with access, in the form of sessions. */
export async function programSessions({
  table,
  actor,
}: Pick<UserContext, 'actor' | 'table'>): Promise<ShownSession[]> {
  const { id, accessEpoch } = actor.user
  const store = userStore(table, id)
  const rows = await allItems((from) =>
    store.query({ beginsWith: grantRows.prefix(), consistent: true, ...from }),
  )
  return rows
    .map(grantRows.parse)
    .filter((grant) => grant.accessEpoch === accessEpoch)
    .map((grant) => ({
      id: grant.id,
      createdAt: grant.createdAt,
      lastSeenAt: grant.lastSeenAt ?? grant.createdAt,
      userAgent: grant.clientName,
      address: grant.address ?? null,
      current: false,
    }))
}

export function isGrantId(id: string): boolean {
  return id.startsWith(`${grantRows.id}_`)
}

/** Ends a program's access. @throws PlatformError 404 for a program that is not the caller's */
export async function endProgramSession(
  { table, actor }: Pick<UserContext, 'actor' | 'table'>,
  { id: grantId }: { id: string },
): Promise<void> {
  try {
    await userStore(table, actor.user.id).delete(grantRows.sk({ grantId }), ifPresent())
  } catch (error) {
    if (error instanceof ConditionFailed) throw notFound('Session')
    throw error
  }
}
