import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { endpointRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { eventsOf } from '#shared/signals/outbound-webhooks/types.ts'
import { disableVoid, isVoid } from '#shared/signals/outbound-webhooks/void.ts'
import type { EndpointView } from './schema.ts'

/** Returns a user's endpoints without their secrets, oldest first. */
export async function listEndpoints({
  table,
  actor,
  owner,
}: Pick<UserContext, 'table' | 'actor' | 'owner'>): Promise<EndpointView[]> {
  const { keyEpoch } = actor.user
  const store = userStore(table, owner)
  const read = async () =>
    (await allItems((from) => store.query({ beginsWith: endpointRows.prefix(), ...from }))).map(
      endpointRows.parse,
    )
  let endpoints = await read()
  if (endpoints.some((one) => one.disabledAt === undefined && isVoid(one, { keyEpoch }))) {
    await disableVoid({ table }, { userId: owner, keyEpoch })
    endpoints = await read()
  }
  return endpoints.map((one) => {
    const { id, url, createdAt, disabledAt = null } = one
    return { id, url, events: eventsOf(one), createdAt, disabledAt }
  })
}
