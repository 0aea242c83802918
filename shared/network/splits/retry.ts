import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { requireSplit } from './find.ts'
import { splitRows } from './rows.ts'
import { moveSplit } from './state/moves.ts'
import { walletWork } from './topic.ts'
import { changeSplit, openParts } from './write.ts'

/**
 * Retries the unpaid recipients of a failed split. A recipient that is paid is never paid again.
 * @param owner the required owner, or undefined for the platform
 * @throws PlatformError 404, or 409 unless the split has failed
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
    const { put, ...condition } = changeSplit(split, moveSplit(split, { kind: 'retry' }))
    return { put, condition, also: openParts(split, Date.now()) }
  })
  await queues.send(walletWork, { wallet: fromAddress.toLowerCase() })
  return { splitId, status: 'queued' }
}
