import { changeItem } from '../platform/table/change-item.ts'
import type { Table } from '../platform/table/port.ts'
import { absent } from '../platform/table/present.ts'
import type { Channel } from './channels.ts'
import { deliveryRows } from './rows.ts'
import type { NoticeMessage } from './topic.ts'

export interface NoticeContext {
  table: Table
  /** Those that are configured. */
  channels: readonly Channel[]
}

/** Longer than a delivery takes; a lease that outlives it was left by a crash. */
const leaseSeconds = 60

/** Longer than any queue keeps a message. */
const rememberedSeconds = 15 * 86_400

/**
 * Sends a notice to every channel that has not had it. A repeated or parallel delivery sends nothing again;
 * a channel that fails makes the whole message come back, and only that channel is tried again.
 * @throws Error naming the channels that failed
 */
export async function deliverNotice(
  ctx: NoticeContext,
  { id, notice }: NoticeMessage,
  now = Date.now(),
): Promise<void> {
  const outcomes = await Promise.allSettled(
    ctx.channels.map((channel) => once(ctx.table, id, channel, () => channel.send(notice), now)),
  )
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  if (failures.length > 0)
    throw new AggregateError(
      failures.map(({ reason }) => reason as unknown),
      failures.map(({ reason }) => String((reason as Error).message)).join('; '),
    )
}

async function once(
  table: Table,
  id: string,
  channel: Channel,
  send: () => Promise<void>,
  now: number,
): Promise<void> {
  const key = deliveryRows.key({ noticeId: id, channel: channel.name })
  const second = Math.floor(now / 1000)
  const claimed = await changeItem(
    { table, key },
    (item) => {
      const before = item && deliveryRows.parse(item)
      if (before?.state === 'sent') return undefined
      if (before !== undefined && before.leaseUntil >= second)
        throw new Error(`another delivery to the ${channel.name} channel is under way`)
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
