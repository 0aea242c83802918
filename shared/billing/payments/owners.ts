import { subscriptionOwnerRows } from '#shared/accounts/users/rows.ts'
import { findUser, type User } from '#shared/accounts/users/user.ts'
import type { Table } from '#shared/platform/table/port.ts'

/**
 * Returns the current and former users of a subscription of the provider.
 * @param id the id of the subscription
 */
export async function ownersOf(table: Table, id: string): Promise<User[]> {
  const pk = subscriptionOwnerRows.pk({ id })
  const users: User[] = []
  let from = {}
  for (;;) {
    const { items, next } = await table.query({
      pk,
      beginsWith: subscriptionOwnerRows.prefix(),
      consistent: true,
      ...from,
    })
    const found = items.map((item) => findUser(table, subscriptionOwnerRows.parse(item).userId))
    users.push(...(await Promise.all(found)).flatMap((user) => user ?? []))
    if (next === undefined) return users
    from = { after: next }
  }
}
