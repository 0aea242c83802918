import type * as z from 'zod'
import type { Table } from '#shared/platform/table/port.ts'
import { channelWaitingRows } from '../rows.ts'
import type { ChatRef } from '../topic.ts'

export type WaitingEvent = z.output<ReturnType<typeof channelWaitingRows.declared.schema>>

/** Returns the oldest events of a chat that were not carried out. */
export async function oldestEvents(
  table: Table,
  ref: ChatRef,
  limit: number,
): Promise<WaitingEvent[]> {
  const pk = channelWaitingRows.pk(ref)
  const beginsWith = channelWaitingRows.prefix(ref)
  const { items } = await table.query({ pk, beginsWith, limit, consistent: true })
  return items.map((item) => channelWaitingRows.parse(item))
}
