import { subscriptionOwnerRows } from '../accounts/rows.ts'
import { findUser, type User } from '../accounts/user.ts'
import type { Table } from '../platform/table/port.ts'

/** As many users as can name one subscription: the provider has one payer for each, trusted callers may err. */
const mostOwners = 20

/** The users whose records name a subscription of the provider, or have named it. @param id the subscription's */
export async function ownersOf(table: Table, id: string): Promise<User[]> {
  const { items } = await table.query({
    pk: subscriptionOwnerRows.pk({ id }),
    beginsWith: subscriptionOwnerRows.prefix(),
    limit: mostOwners,
    consistent: true,
  })
  const users = items.map((item) => findUser(table, subscriptionOwnerRows.parse(item).userId))
  return (await Promise.all(users)).flatMap((user) => user ?? [])
}
