import type { Context } from '../identity/context.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Queues } from '../platform/queues/port.ts'
import { changeItem } from '../platform/table/change-item.ts'
import { requireSplit } from './find.ts'
import { splitRows } from './rows.ts'
import { move } from './state/moves.ts'
import { walletWork } from './topic.ts'
import { changeSplit, openParts } from './write.ts'

/**
 * Tries the recipients of a failed split again that were not paid. However often it is asked, those that are paid stay so.
 * @param owner the user whose it must be; undefined where the platform asks
 * @throws PlatformError 404, 409 unless it has failed
 */
export async function retrySplit(
  ctx: Pick<Context, 'table'> & { queues: Queues<'splits'> },
  { splitId: id, owner }: { splitId: string | number; owner: string | undefined },
): Promise<{ splitId: number; status: 'queued' }> {
  const { table, queues } = ctx
  const { splitId, fromAddress } = await requireSplit(ctx, { splitId: id, owner })
  const key = splitRows.key({ splitId: String(splitId) })
  await changeItem({ table, key }, (row) => {
    const split = row && splitRows.parse(row)
    if (split?.status !== 'failed')
      throw new PlatformError(
        'conflict',
        `Only a failed split can be tried again; it is ${split?.status}`,
      )
    const { put, ...condition } = changeSplit(split, move(split, { kind: 'retry' }))
    return { put, condition, also: openParts(split, Date.now()) }
  })
  await queues.send(walletWork, { wallet: fromAddress.toLowerCase() })
  return { splitId, status: 'queued' }
}
