import { RetryAfter } from '#shared/platform/queues/retry-after.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { deliveryRows } from './rows.ts'

/** A sending function runs for at most 30 seconds, so an older lease was left by a crash. */
const leaseSeconds = 35

/** The retention of the record of a delivery, longer than any queue's retention. */
const rememberedSeconds = 15 * 86_400

/**
 * Sends a message to a channel once: repeated or concurrent deliveries send nothing twice, and a failed one is
 * retried. If the process dies between the send and its record, the message is sent twice.
 * @throws any error of `send`; RetryAfter while another delivery is running, or until the lease of a crashed one
 * ends
 */
export async function sendOnce(
  table: Table,
  { id, channel }: { id: string; channel: string },
  send: () => Promise<void>,
  now = Date.now(),
): Promise<void> {
  const key = deliveryRows.key({ noticeId: id, channel })
  const second = epochSeconds(now)
  const claimed = await changeItem(
    { table, key },
    (item) => {
      const before = item && deliveryRows.parse(item)
      if (before?.state === 'sent') return undefined
      if (before !== undefined && before.leaseUntil >= second)
        throw new RetryAfter(
          `another delivery to the ${channel} channel is in progress`,
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
