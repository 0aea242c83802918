import type * as z from 'zod'
import { usersPartition, referralRows, userRows, userShards } from '#shared/accounts/users/rows.ts'
import { isAdmin, type User } from '#shared/accounts/users/user.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { userPage, userQuery } from './schema.ts'

/** Returns the users of the platform, newest first, without any credentials. */
export async function pageOfUsers(
  { table, adminEmails }: { table: Table; adminEmails: string[] },
  { limit, cursor }: z.output<typeof userQuery>,
): Promise<z.input<typeof userPage>> {
  const shards = Array.from({ length: userShards }, (_, shard) => shard)
  const readLimit = limit + 1
  const found = await Promise.all(shards.map((shard) => idsOf(table, { shard, cursor, readLimit })))
  const ids = found
    .flat()
    .sort((a, b) => (a < b ? 1 : -1))
    .slice(0, readLimit)
  const pageIds = ids.slice(0, limit)
  const rows = await table.getMany(pageIds.map((userId) => userRows.key({ userId })))
  const users = rows
    .filter((row) => row !== undefined)
    .map((row) => summaryOf(userRows.parse(row), adminEmails))
  return { users, nextCursor: ids.length > limit ? (pageIds.at(-1) ?? null) : null }
}

/** Returns the newest users of a shard after the cursor. */
async function idsOf(
  table: Table,
  { shard, cursor, readLimit }: { shard: number; cursor: string | undefined; readLimit: number },
): Promise<string[]> {
  const { items } = await table.query({
    index: 'gsi1',
    pk: usersPartition(shard),
    between: ['0', cursor ?? '~'],
    descending: true,
    // The read includes the user of the cursor.
    limit: readLimit + 1,
  })
  return items
    .map((item) => referralRows.parse(item).userId)
    .filter((id) => id !== cursor)
    .slice(0, readLimit)
}

function summaryOf(user: User, adminEmails: string[]): z.input<typeof userPage>['users'][number] {
  const { id, email, name, emailVerified, plan, subscription, agentCount, createdAt } = user
  return {
    id,
    email,
    name,
    emailVerified,
    isAdmin: isAdmin(user, adminEmails),
    plan,
    subscriptionStatus: subscription.status,
    agents: agentCount,
    createdAt,
  }
}
