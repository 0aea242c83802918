import { removeRows } from '#shared/platform/table/remove-rows.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import {
  channelChatRows,
  channelOutboxRows,
  channelPartRows,
  channelSenderRows,
  channelWaitingRows,
} from './rows.ts'

/** The time after which no further page is begun. In milliseconds. */
const budgetMs = 10_000

/**
 * Removes the senders, the chats, the waiting events and the waiting messages of a deleted channel. The jobs remove rows
 * that are added meanwhile or that are left. Events and deliveries stay until they expire.
 */
export async function removeChats(
  store: UserStore,
  { agentId, channelId }: { agentId: string; channelId: string },
): Promise<void> {
  const deadline = Date.now() + budgetMs
  await removeRows(store, channelSenderRows.sk({ agentId, channelId }), deadline)
  for (const rows of [channelWaitingRows, channelPartRows, channelChatRows, channelOutboxRows])
    if (!(await removeRows(store, rows.prefix({ agentId, channelId }), deadline))) return
}
