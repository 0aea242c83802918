import { NotFoundError, PlatformError } from '../core/errors.ts'
import { EventStream, type ServerSentEvent } from '../core/event-stream.ts'
import type { QueryOf } from '../core/operation.ts'
import { backOff, pause } from '../core/retries.ts'
import { Resource } from './resource.ts'

/** A line that an agent printed, the end of its process, or lines that are lost: the log no longer has them. */
export interface LogLine {
  type: 'line' | 'exit' | 'gap'
  text?: string | undefined
  /** Of an exit; null where it is unknown. */
  code?: number | null | undefined
  /** Where to go on from, as `lastEventId`. */
  id?: string | undefined
}

export interface FollowOptions extends QueryOf<'GET /api/logs/{agentId}/stream'> {
  /** Goes on behind a line that was read earlier. */
  lastEventId?: string | undefined
  signal?: AbortSignal | undefined
  /** Is told each time that the stream was lost and is asked for again. */
  onReconnect?: ((error: PlatformError, waitMs: number) => void) | undefined
}

/** What agents print. */
export class Logs extends Resource {
  /** The last lines that an agent printed, oldest first */
  history = this.opWithQuery('GET /api/logs/{agentId}/history')

  /**
   * What an agent prints, as it does so, over its restarts and over broken connections, each line once. It goes on until
   * the signal's abort or the agent's deletion.
   * @throws PlatformError where it is refused
   */
  follow(agentId: string, { signal, ...options }: FollowOptions = {}): EventStream<LogLine> {
    return new EventStream((own) => this.#follow(agentId, options, own), signal)
  }

  async *#follow(
    agentId: string,
    { lastEventId, onReconnect, ...query }: FollowOptions,
    signal: AbortSignal,
  ): AsyncGenerator<LogLine, void> {
    let last = lastEventId
    let failures = 0
    let isKnown = false
    for (;;) {
      const lots = this.client.open(
        'GET /api/logs/{agentId}/stream',
        // Where the platform no longer has the place, lines of the past would come a second time.
        {
          params: { agentId },
          query: last === undefined ? query : { ...query, ...nothingOfThePast },
        },
        (events) => lotsOf(events, last !== undefined),
        {
          headers: { ...(last !== undefined && { 'last-event-id': last }) },
          signal,
          maxRetries: 0,
        },
      )
      let lost = new PlatformError('The stream ended')
      try {
        for await (const { lines, place } of lots) {
          failures = 0
          isKnown = true
          yield* lines
          last = place
        }
      } catch (error) {
        if (!(error instanceof PlatformError) || signal.aborted) throw error
        // It was there before: it has been deleted.
        if (error instanceof NotFoundError && isKnown) return
        const { status = 500 } = error
        if (status < 500 && status !== 408 && status !== 429) throw error
        lost = error
      }
      const waitMs = failures === 0 ? 0 : backOff(failures, 15_000)
      failures += 1
      onReconnect?.(lost, waitMs)
      await pause(waitMs, signal)
    }
  }
}

const nothingOfThePast = { since: undefined, tail: 0 }

/**
 * Lines in lots that end where a later stream can go on: what has no place yet would come again.
 * @param resumed it goes on from a place; the platform then has a place for every line, and none for the beginning
 */
async function* lotsOf(
  events: AsyncGenerator<ServerSentEvent, void>,
  resumed: boolean,
): AsyncGenerator<{ lines: LogLine[]; place: string }, void> {
  let lines: LogLine[] = []
  for await (const { id, data } of events) {
    const { type, text, code } = JSON.parse(data) as Omit<LogLine, 'type'> & { type: string }
    if (type === 'line') lines.push({ type, text, id })
    else if (type === 'exit') lines.push({ type, code, id })
    else if (resumed && id !== undefined) lines.push({ type: 'gap' })
    if (id === undefined) continue
    yield { lines, place: id }
    lines = []
  }
}
