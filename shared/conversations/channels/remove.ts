import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import {
  channelChatRows,
  channelCountRows,
  channelDeliveryRows,
  channelEventRows,
  channelLocatorRows,
  channelOutboxRows,
  channelPartRows,
  channelPollRows,
  channelRows,
  channelSenderRows,
  channelWaitingRows,
} from './rows.ts'
import { storeTearDown } from './store-tear-down.ts'

/**
 * Removes the channels of a deleted agent. Their services get a 404 from then on. The schedule of channels removes
 * their registrations, because this function cannot reach the services.
 */
export const removeChannels: DeletionHook = async ({ table, store, agentId, deadline }) => {
  const beginsWith = channelRows.prefix({ agentId })
  for (const item of await allItems((from) => store.query({ beginsWith, ...from }))) {
    const channel = channelRows.parse(item)
    const { id: channelId } = channel
    await storeTearDown(table, channel)
    await table.delete(channelLocatorRows.key({ channelId }))
    await table.delete(channelPollRows.key({ channelId }))
  }
  const prefixes = [
    beginsWith,
    channelCountRows.sk({ agentId }),
    ...[
      channelChatRows,
      channelDeliveryRows,
      channelEventRows,
      channelOutboxRows,
      channelPartRows,
      channelSenderRows,
      channelWaitingRows,
    ].map((rows) => rows.prefix({ agentId })),
  ]
  for (const prefix of prefixes) if (!(await removeRows(store, prefix, deadline))) return false
  return true
}
