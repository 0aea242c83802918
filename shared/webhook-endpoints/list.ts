import type { UserContext } from '../identity/context.ts'
import { endpointRows } from '../outbound-webhooks/rows.ts'
import { allItems } from '../platform/table/pages.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { EndpointView } from './schema.ts'

/** A user's endpoints as they are shown, oldest first. */
export async function listEndpoints({
  table,
  actor,
}: Pick<UserContext, 'table' | 'actor'>): Promise<EndpointView[]> {
  const store = userStore(table, actor.user.id)
  const items = await allItems((from) =>
    store.query({ beginsWith: endpointRows.prefix(), ...from }),
  )
  return items.map((item) => {
    const { id, url, events, createdAt, disabledAt = null } = endpointRows.parse(item)
    return { id, url, events, createdAt, disabledAt }
  })
}
