import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { endpointRows, type WebhookEndpoint } from './rows.ts'

/**
 * Returns whether all of the user's keys were revoked after the endpoint was created. Another person may have created
 * such an endpoint.
 */
export function isVoid(
  { epoch }: Pick<WebhookEndpoint, 'epoch'>,
  { keyEpoch = 0 }: { keyEpoch?: number | undefined },
): boolean {
  return epoch !== keyEpoch
}

/**
 * Disables a user's void endpoints, so that the user can see them in the list. If the process ends in between, the
 * remaining ones are not disabled, but nothing is sent to them.
 */
export async function disableVoid(
  { table }: { table: Table },
  { userId, keyEpoch }: { userId: string; keyEpoch: number | undefined },
): Promise<void> {
  const store = userStore(table, userId)
  const items = await allItems((from) =>
    store.query({ beginsWith: endpointRows.prefix(), ...from }),
  )
  const ended = items
    .map(endpointRows.parse)
    .filter((endpoint) => endpoint.disabledAt === undefined && isVoid(endpoint, { keyEpoch }))
  const disabledAt = new Date().toISOString()
  await Promise.all(
    ended.map(({ id: endpointId }) =>
      tryWrite(
        store.update(endpointRows.sk({ endpointId }), {
          set: { disabledAt },
          if: 'attribute_exists(pk) AND attribute_not_exists(#disabledAt)',
        }),
      ),
    ),
  )
}
