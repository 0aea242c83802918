import { requireAgent } from '#shared/agents/record/find.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { nextNumber } from '#shared/platform/sequence/next.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { type Event, requireEvent } from './event.ts'
import { eventRequestRows, eventRows, eventsPartition } from './rows.ts'
import type { NewEvent } from './schema.ts'

/** The lifetime of an Idempotency-Key. */
const requestSeconds = 86_400

/**
 * Creates an event of an agent. A retry of the same request (`seed`) returns the first one.
 * @throws PlatformError 404 for an unknown agent, or another user's if a trusted caller acts for a user
 */
export async function createEvent(
  ctx: Pick<Context<InternalActor>, 'owner' | 'table' | 'seed'>,
  input: NewEvent,
): Promise<Event> {
  const { table, owner, seed } = ctx
  const { id: agentId } = await requireAgent(ctx, { agentId: input.agentId, owner })
  const id = await nextNumber(ctx, 'events')
  const now = Date.now()
  const event = { ...input, agentId, id, sold: 0, createdAt: isoOf(now) }
  const expiresAt = epochSeconds(now) + requestSeconds
  const refused = await tryCommit(table, {
    event: {
      put: eventRows.put({ eventId: String(id) }, event, {
        gsi1pk: eventsPartition,
        gsi1sk: `${instantOf(input.eventDate)}#${String(id).padStart(15, '0')}`,
      }),
    },
    request: { put: eventRequestRows.put({ seed }, { id }, { expiresAt }), ...absent(now) },
  })
  const earlier = refused?.request?.item
  if (earlier === undefined) return event
  return requireEvent(ctx, String(eventRequestRows.parse(earlier).id))
}

/** Returns the date as ISO 8601 in UTC, so that dates of all time zones sort correctly. */
function instantOf(date: string): string {
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(date) || !date.includes('T')
  return new Date(zoned ? date : `${date}Z`).toISOString()
}
