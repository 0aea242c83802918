import { allItems } from '../platform/table/pages.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { written } from '../platform/table/written.ts'
import { endpointRows, type WebhookEndpoint } from './rows.ts'

/** Returns whether an endpoint was made before every key of its user was ended: whoever made it may have been another person. */
export function isVoid(
  { epoch }: Pick<WebhookEndpoint, 'epoch'>,
  { keyEpoch = 0 }: { keyEpoch?: number | undefined },
): boolean {
  return epoch !== keyEpoch
}

/**
 * Notes on a user's void endpoints that nothing is posted to them any more, so that their user sees what there was. A process
 * that ends in between leaves some without the note; they get nothing all the same.
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
      written(
        store.update(endpointRows.sk({ endpointId }), {
          set: { disabledAt },
          if: 'attribute_exists(pk) AND attribute_not_exists(#disabledAt)',
        }),
      ),
    ),
  )
}
