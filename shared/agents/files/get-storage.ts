import { findUser } from '#shared/accounts/users/user.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { quotaOf } from '../storage/quota.ts'
import { countedBytes, fileRows } from './rows.ts'

/** Returns the storage of a user, and the bytes of each agent with files. */
export async function getStorage({
  table,
  owner,
  adminEmails,
}: Pick<UserContext, 'table' | 'owner'> & Can<'adminEmails'>) {
  const store = userStore(table, owner)
  const [user, items] = await Promise.all([
    findUser(table, owner),
    allItems((from) => store.query({ beginsWith: fileRows.prefix(), consistent: true, ...from })),
  ])
  const rows = items.map(fileRows.parse).filter((row) => row.deletedAt === undefined)
  const measured = rows.flatMap(({ committedAt }) => committedAt ?? []).sort()
  return {
    usedBytes: rows.reduce((sum, row) => sum + countedBytes(row), 0),
    quotaBytes: user === undefined ? 0 : quotaOf(user, adminEmails),
    agents: rows
      .filter(({ version }) => version > 0)
      .map((row) => ({ agentId: row.agentId, bytes: countedBytes(row) })),
    measuredAt: measured.at(-1) ?? null,
  }
}
