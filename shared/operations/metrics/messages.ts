import type { MessageCount } from '#shared/conversations/chat/message-count.ts'

/**
 * Sums the messages in both directions from a day on, that day included. @param from as `2026-11-21`. Default: all
 * given days
 */
export function messagesSince(counts: readonly MessageCount[], from = ''): number {
  return counts
    .filter(({ date }) => date >= from)
    .reduce((sum, { asked, replied }) => sum + asked + replied, 0)
}
