import { NotFoundError, PlatformError } from '../core/errors.ts'
import { EventStream, type ServerSentEvent } from '../core/event-stream.ts'
import type { QueryOf } from '../core/operation.ts'
import { backOff, pause } from '../core/retries.ts'
import { Resource } from './resource.ts'

/** A line that an agent printed, the exit of its process, or a gap of lines that the log no longer has. */
export interface LogLine {
  type: 'line' | 'exit' | 'gap'
  text?: string | undefined
  /** For `exit`: the exit code; null if unknown. */
  code?: number | null | undefined
  /** Pass it as `lastEventId` to continue from here. */
  id?: string | undefined
}

export interface FollowOptions extends QueryOf<'GET /api/logs/{agentId}/stream'> {
  /** Continues after a line that was read earlier. */
  lastEventId?: string | undefined
  signal?: AbortSignal | undefined
  /** Called each time the stream broke and is requested again. */
  onReconnect?: ((error: PlatformError, waitMs: number) => void) | undefined
}

/** Logs of agents. */
export class Logs extends Resource {
  /** Returns the last lines that an agent printed, oldest first. */
  history = this.opWithQuery('GET /api/logs/{agentId}/history')

  /**
   * Follows what an agent prints, across restarts and broken connections. Each line comes once. Ends when the signal
   * aborts or the agent is deleted.
   * @throws PlatformError if the platform refuses the request
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
      const batches = this.client.open(
        'GET /api/logs/{agentId}/stream',
        // A resumed request asks for no past lines: if the platform no longer knows the position, they would repeat.
        {
          params: { agentId },
          query: last === undefined ? query : { ...query, ...noPastLines },
        },
        (events) => batchesOf(events, last !== undefined),
        {
          headers: { ...(last !== undefined && { 'last-event-id': last }) },
          signal,
          maxRetries: 0,
        },
      )
      let lost = new PlatformError('The stream ended')
      try {
        for await (const { lines, place } of batches) {
          failures = 0
          isKnown = true
          yield* lines
          last = place
        }
      } catch (error) {
        if (!(error instanceof PlatformError) || signal.aborted) throw error
        // The agent existed before, so it has been deleted.
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

const noPastLines = { since: undefined, tail: 0 }

/**
 * Groups lines into batches that end at a position where a later stream can continue. Lines without a position would
 * come again after a reconnect.
 * @param resumed the stream continues from a position; then every line has a position, and there is no start event
 */
async function* batchesOf(
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
