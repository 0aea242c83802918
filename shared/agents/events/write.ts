import type { Write } from '../../platform/table/port.ts'
import { ownerOf } from '../agent.ts'
import type { Agent } from '../record.ts'
import { eventRows } from '../rows.ts'
import type { Happening } from './of-change.ts'

/** They are for looking into what happened, not for the books. */
const keptDays = 90

export interface Happenings {
  happenings: readonly Happening[]
  /** author.ts. */
  by: string | null
  now: number
  /** The place of the first after the revision: 0 where the change of the agent itself is told, which has less than nine. */
  from?: number
}

/** What became of an agent, as parts of the transaction that brings it about. */
export function eventWrites(
  { id: agentId, userId, revision }: Pick<Agent, 'id' | 'userId' | 'revision'>,
  { happenings, by, now, from = 0 }: Happenings,
): Write[] {
  return happenings.map((happening, i) => {
    const place = `${String(revision).padStart(10, '0')}.${from + i}`
    const event = { ...happening, by, at: new Date(now).toISOString() }
    const expiresAt = Math.ceil(now / 1000) + keptDays * 86_400
    const key = { userId: ownerOf({ userId }), agentId, place }
    return { put: eventRows.put(key, event, { expiresAt }) }
  })
}
