import { findUser } from '../accounts/user.ts'
import type { GuardOptions } from '../platform/http-client/guarded.ts'
import type { Log } from '../platform/log.ts'
import { RetryAfter } from '../platform/queues/retry-after.ts'
import type { Sealer } from '../platform/seal.ts'
import type { Table } from '../platform/table/port.ts'
import type { Span } from '../spans/span.ts'
import type { TelemetryWork } from '../spans/topic.ts'
import { gathered } from './gather.ts'
import { type Outcome, postSpans } from './post.ts'
import { collectorOf } from './settings.ts'

/** After so many tries spans are dropped. */
export const mostTries = 3

/** What OTLP says may be sent again (opentelemetry-proto, docs/specification.md, Retryable Response Codes). */
const retryable = new Set([429, 502, 503, 504])

/** One request to a collector holds at most so many spans, OpenTelemetry's own default, or bytes of JSON. */
const most = { spans: 512, bytes: 2_000_000 }

/** Posts spans to their user's collector as it is now, with all others of theirs that are given at the same time. */
export type Collectors = (userId: string, spans: readonly Span[]) => Promise<Outcome | 'none'>

/** Makes what posts spans. @param seals absent without WALLET_ENCRYPTION_KEY */
export function openCollectors({
  table,
  guard,
  seals,
}: {
  table: Table
  guard: GuardOptions
  seals: Sealer | undefined
}): Collectors {
  return gathered<readonly Span[], Outcome | 'none'>(async (userId, works) => {
    const user = await findUser(table, userId)
    const collector = user && (await collectorOf(seals, user))
    if (collector === undefined) return works.map(() => 'none' as const)
    const outcomes: Outcome[] = []
    for (const some of packed(works)) {
      const last = outcomes.at(-1)
      // One that did not take the first spans is not asked to take the rest.
      const outcome =
        last === undefined || last.taken ? await postSpans(guard, collector, some.flat()) : last
      outcomes.push(...some.map(() => outcome))
    }
    return outcomes
  })
}

/** Works in their order, as they fit into requests. */
function packed(works: readonly (readonly Span[])[]): (readonly Span[])[][] {
  const packs: (readonly Span[])[][] = []
  let room = { spans: 0, bytes: 0 }
  for (const spans of works) {
    const bytes = Buffer.byteLength(JSON.stringify(spans))
    if (spans.length > room.spans || bytes > room.bytes) {
      packs.push([])
      room = { ...most }
    }
    packs.at(-1)?.push(spans)
    room.spans -= spans.length
    room.bytes -= bytes
  }
  return packs
}

export interface DeliverContext {
  collectors: Collectors
  log: Log
  /** How many times the message was handed out, this one included. */
  receives: number
}

/**
 * Posts spans to their user's collector. What it refuses, and what it has not taken after three tries, is dropped; a message
 * that comes twice is posted twice, with the same ids.
 * @throws RetryAfter where it is to be tried again
 */
export async function deliverSpans(
  { collectors, log, receives }: DeliverContext,
  { userId, spans }: TelemetryWork,
): Promise<void> {
  const outcome = await collectors(userId, spans)
  if (outcome === 'none' || outcome.taken) return
  const { status, retryAfter = 2 ** receives * 5, failure } = outcome
  const mayRetry = status === null ? failure !== 'refused' : retryable.has(status)
  if (mayRetry && receives < mostTries)
    throw new RetryAfter('a collector does not take spans', retryAfter)
  log.warn(
    'spans are dropped',
    { userId, spans: spans.length, status, ...(failure !== undefined && { failed: failure }) },
    { by: [['function']], of: { SpansDropped: [spans.length, 'Count'] } },
  )
}
