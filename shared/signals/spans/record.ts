import type { Log } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Span } from './span.ts'
import { telemetry } from './topic.ts'

/** A user's telemetry settings; absent if nothing may be sent. */
export interface Telemetry {
  /** True if spans contain prompts and answers. */
  content: boolean
}

/**
 * Queues spans for their user's collector. Never throws, because telemetry must not fail the work; spans that the queue
 * refuses are lost.
 */
export async function recordSpans(
  { queues, log }: { queues: Queues<'telemetry'>; log: Log },
  userId: string,
  spans: Span[],
): Promise<void> {
  for (const some of packed(spans))
    try {
      await queues.send(telemetry, { userId, spans: some })
    } catch (error) {
      log.warn('spans were lost', { spans: some.length, error })
    }
}

/**
 * The maximum number of bytes of JSON in one message: a queue accepts messages of 256 KiB. One span has at most two
 * texts of 100 KB each: `messages.ts`.
 */
const maxBytes = 200_000

/** Groups spans so that each group fits into one message. */
function packed(spans: readonly Span[]): Span[][] {
  const packs: Span[][] = []
  let room = 0
  for (const span of spans) {
    const size = Buffer.byteLength(JSON.stringify(span))
    const last = packs.at(-1)
    if (last === undefined || size > room) {
      packs.push([span])
      room = maxBytes - size
    } else {
      last.push(span)
      room -= size
    }
  }
  return packs
}
