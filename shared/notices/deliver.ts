import type { Table } from '../platform/table/port.ts'
import type { Channel } from './channels.ts'
import { once } from './once.ts'
import type { NoticeMessage } from './topic.ts'

export interface NoticeContext {
  table: Table
  /** Those that are configured. */
  channels: readonly Channel[]
}

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
    ctx.channels.map((channel) =>
      once(ctx.table, { id, channel: channel.name }, () => channel.send(notice), now),
    ),
  )
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  if (failures.length > 0)
    throw new AggregateError(
      failures.map(({ reason }) => reason as unknown),
      failures.map(({ reason }) => String((reason as Error).message)).join('; '),
    )
}
