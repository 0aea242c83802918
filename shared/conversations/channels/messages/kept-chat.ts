import type { Write } from '#shared/platform/table/port.ts'
import { keptUntil } from '../kept.ts'
import { channelChatRows } from '../rows.ts'
import type { Chat } from '../work.ts'

/** Returns the write that keeps a chat for another 30 days. Its transaction fails if the chat does not exist. */
export function keptChat(chat: Chat, now: number): Write {
  return {
    update: channelChatRows.key(chat),
    set: { expiresAt: keptUntil(now) },
    if: 'attribute_exists(pk)',
  }
}
