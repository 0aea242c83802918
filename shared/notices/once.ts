import { RetryAfter } from '../platform/queues/retry-after.ts'
import { changeItem } from '../platform/table/change-item.ts'
import type { Table } from '../platform/table/port.ts'
import { absent } from '../platform/table/present.ts'
import { deliveryRows } from './rows.ts'

/** A function that sends runs 30 seconds at most; a lease that outlives that was left by a crash. */
const leaseSeconds = 35

/** Longer than any queue keeps a message. */
const rememberedSeconds = 15 * 86_400

/**
 * Sends what a channel has not had yet: a repeated or parallel delivery sends nothing again, and one that failed is
 * tried again. A process that dies between the sending and the note of it makes it twice.
 * @throws what `send` throws; RetryAfter while another delivery is under way, or until the lease of one ends that died
 */
export async function once(
  table: Table,
  { id, channel }: { id: string; channel: string },
  send: () => Promise<void>,
  now = Date.now(),
): Promise<void> {
  const key = deliveryRows.key({ noticeId: id, channel })
  const second = Math.floor(now / 1000)
  const claimed = await changeItem(
    { table, key },
    (item) => {
      const before = item && deliveryRows.parse(item)
      if (before?.state === 'sent') return undefined
      if (before !== undefined && before.leaseUntil >= second)
        throw new RetryAfter(
          `another delivery to the ${channel} channel is under way`,
          before.leaseUntil - second + 1,
        )
      return {
        update: {
          set: deliveryRows.attributes(
            { state: 'sending', leaseUntil: second + leaseSeconds },
            { expiresAt: second + rememberedSeconds },
          ),
          ...(before === undefined
            ? absent(now)
            : { if: '#leaseUntil = :seen', values: { seen: before.leaseUntil } }),
        },
      }
    },
    { first: undefined },
  )
  if (!claimed) return
  try {
    await send()
  } catch (error) {
    await table.update(key, { set: { leaseUntil: 0 } })
    throw error
  }
  await table.update(key, { set: { state: 'sent' } })
}
