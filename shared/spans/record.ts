import type { Log } from '../platform/log.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Span } from './span.ts'
import { telemetry } from './topic.ts'

/** What is told of a user's work; absent for one who wants nothing sent. */
export interface Telemetry {
  /** True if prompts and answers go along. */
  content: boolean
}

/**
 * Sends spans on their way to their user's collector. Never throws: what is told of work does not fail it, and spans that
 * the queue does not take are lost.
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
      log.warn('spans are lost', { spans: some.length, error })
    }
}

/** Of JSON, in bytes: a queue's message holds 256 KiB. One span has at most two texts of 100 KB each: `messages.ts`. */
const mostBytes = 200_000

/** Spans as they fit into messages. */
function packed(spans: readonly Span[]): Span[][] {
  const packs: Span[][] = []
  let room = 0
  for (const span of spans) {
    const size = Buffer.byteLength(JSON.stringify(span))
    const last = packs.at(-1)
    if (last === undefined || size > room) {
      packs.push([span])
      room = mostBytes - size
    } else {
      last.push(span)
      room -= size
    }
  }
  return packs
}
