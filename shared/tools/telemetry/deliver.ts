import { findUser } from '#shared/accounts/users/user.ts'
import type { GuardOptions } from '#shared/platform/http-client/guarded.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { RetryAfter } from '#shared/platform/queues/retry-after.ts'
import type { Sealer } from '#shared/platform/seal.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Span } from '#shared/signals/spans/span.ts'
import type { TelemetryWork } from '#shared/signals/spans/topic.ts'
import { type PostOutcome, postSpans } from './post.ts'
import { collectorOf } from './settings.ts'

/** The number of attempts before spans are dropped. */
export const maxTries = 3

/**
 * The status codes that OTLP allows to retry (opentelemetry-proto, docs/specification.md, Retryable Response
 * Codes).
 */
const retryable = new Set([429, 502, 503, 504])

/** Limits of one request to a collector: spans (OpenTelemetry's own default) and bytes of JSON. */
const maxBatch = { spans: 512, bytes: 2_000_000 }

/** Posts spans to their user's current collector, together with the user's other spans of the same batch. */
export type Collectors = (userId: string, spans: readonly Span[]) => Promise<PostOutcome | 'none'>

/** Creates the function that posts spans. @param sealer absent without WALLET_ENCRYPTION_KEY */
export function openCollectors({
  table,
  guard,
  sealer,
}: {
  table: Table
  guard: GuardOptions
  sealer: Sealer | undefined
}): Collectors {
  return batchPerTurn<readonly Span[], PostOutcome | 'none'>(async (userId, works) => {
    const user = await findUser(table, userId)
    const collector = user && (await collectorOf(sealer, user))
    if (collector === undefined) return works.map(() => 'none' as const)
    const outcomes: PostOutcome[] = []
    for (const some of packed(works)) {
      const last = outcomes.at(-1)
      // After a failed request, the remaining spans are not sent.
      const outcome =
        last === undefined || last.taken ? await postSpans(guard, collector, some.flat()) : last
      outcomes.push(...some.map(() => outcome))
    }
    return outcomes
  })
}

/** Groups works, in their order, by the limits of a request. */
function packed(works: readonly (readonly Span[])[]): (readonly Span[])[][] {
  const packs: (readonly Span[])[][] = []
  let room = { spans: 0, bytes: 0 }
  for (const spans of works) {
    const bytes = Buffer.byteLength(JSON.stringify(spans))
    if (spans.length > room.spans || bytes > room.bytes) {
      packs.push([])
      room = { ...maxBatch }
    }
    packs.at(-1)?.push(spans)
    room.spans -= spans.length
    room.bytes -= bytes
  }
  return packs
}

/**
 * Posts spans to their user's collector. Spans are dropped if the collector refuses them or three attempts fail. A
 * message that is delivered twice is posted twice, with the same ids.
 * @throws RetryAfter for a retry
 */
export async function deliverSpans(
  {
    collectors,
    log,
    receives,
  }: Pick<Context, 'log'> & { collectors: Collectors; receives: number },
  { userId, spans }: TelemetryWork,
): Promise<void> {
  const outcome = await collectors(userId, spans)
  if (outcome === 'none' || outcome.taken) return
  const { status, retryAfter = 2 ** receives * 5, failure } = outcome
  const mayRetry = status === null ? failure !== 'refused' : retryable.has(status)
  if (mayRetry && receives < maxTries)
    throw new RetryAfter('a collector does not accept spans', retryAfter)
  log.warn(
    'spans are dropped',
    { userId, spans: spans.length, status, ...(failure !== undefined && { failed: failure }) },
    { by: [['function']], of: { SpansDropped: [spans.length, 'Count'] } },
  )
}

/**
 * Collects the items of one key within a turn of the event loop and processes them together: a function gets the
 * messages of a batch concurrently.
 * @param carryOut returns a result for each item, in the order of the items
 */
function batchPerTurn<Item, Result>(
  carryOut: (key: string, items: readonly Item[]) => Promise<readonly Result[]>,
): (key: string, item: Item) => Promise<Result> {
  const waiting = new Map<string, { items: Item[]; results: Promise<readonly Result[]> }>()

  function begin(key: string) {
    const items: Item[] = []
    const results = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting.delete(key)
      return carryOut(key, items)
    })
    const group = { items, results }
    waiting.set(key, group)
    return group
  }

  return async (key, item) => {
    const { items, results } = waiting.get(key) ?? begin(key)
    const place = items.push(item) - 1
    const result = (await results)[place]
    if (result === undefined) throw new TypeError('a result is required for each item')
    return result
  }
}
