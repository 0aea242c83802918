import type { MessageCount } from '#shared/conversations/chat/message-count.ts'

/**
 * Returns the number of messages in both directions since a day, including that day. @param from a day such as
 * `2026-11-21`; default: all days
 */
export function messagesSince(counts: readonly MessageCount[], from = ''): number {
  return counts
    .filter(({ date }) => date >= from)
    .reduce((sum, { asked, replied }) => sum + asked + replied, 0)
}
