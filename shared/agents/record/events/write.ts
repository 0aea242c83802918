import type { Write } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { ownerOf } from '../agent.ts'
import type { Agent } from '../record.ts'
import { agentEventRows } from '../rows.ts'
import type { EventDraft } from './of-change.ts'

/** Events are for diagnosis, not for accounting. */
const retentionDays = 90

export interface Happenings {
  happenings: readonly EventDraft[]
  /** The author of the event: author.ts. */
  by: string | null
  now: number
  /**
   * The index of the first event within the revision. Default: 0, for the agent's own changes, which have fewer than
   * eight events. Restores have 9, refused payers the number of the day, and channels 8.
   */
  from?: number
}

/** Returns the writes of an agent's events, for the transaction that causes them. */
export function eventWrites(
  { id: agentId, userId, revision }: Pick<Agent, 'id' | 'userId' | 'revision'>,
  { happenings, by, now, from = 0 }: Happenings,
): Write[] {
  return happenings.map((happening, i) => {
    const place = `${String(revision).padStart(10, '0')}.${from + i}`
    const event = { ...happening, by, at: isoOf(now) }
    const expiresAt = Math.ceil(now / 1000) + retentionDays * 86_400
    const key = { userId: ownerOf({ userId }), agentId, place }
    return { put: agentEventRows.put(key, event, { expiresAt }) }
  })
}
