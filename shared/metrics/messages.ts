import type { MessageCount } from '../chat/message-count.ts'

/** Messages of both sides since a day, that day included. @param from as `2026-11-21`; without it, all that are given */
export function messagesSince(counts: readonly MessageCount[], from = ''): number {
  return counts
    .filter(({ date }) => date >= from)
    .reduce((sum, { asked, replied }) => sum + asked + replied, 0)
}
