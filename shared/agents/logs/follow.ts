import { setTimeout as wait } from 'node:timers/promises'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { FollowedEvents, FollowOptions, LogReader } from './context.ts'
import { Follower } from './follower.ts'

/** The first delay between checks for new lines. It grows while there are no new lines. */
const firstWaitMs = 50
const aliveEveryMs = 15_000

/**
 * Streams an agent's output across the ends and starts of its tasks. Nothing is read ahead: for a slow reader, the
 * lines wait in the log and at most one page is in memory. The stream ends when its maximum duration is over, its row
 * is deleted, or the agent is deleted.
 */
export async function* followLogs(
  ctx: Pick<Context, 'table'> & Can<'logs'> & LogReader,
  options: FollowOptions,
): AsyncGenerator<FollowedEvents, void> {
  const follower = new Follower(ctx, options)
  // Sent only when the stream's start position is known: no line after this position is missed.
  yield await follower.connect(options)
  const endsAt = Date.now() + options.lastsMs
  let waitMs = firstWaitMs
  let sentAt = Date.now()
  while (Date.now() < endsAt && !ctx.signal.aborted) {
    const events = await follower.next()
    if (!(await follower.look())) return
    if (events.length > 0) {
      yield events
      sentAt = Date.now()
    }
    if (Date.now() - sentAt >= aliveEveryMs) {
      yield []
      sentAt = Date.now()
    }
    if (follower.hasRead) {
      waitMs = firstWaitMs
      continue
    }
    await wait(waitMs, undefined, { signal: ctx.signal }).catch(() => undefined)
    waitMs = Math.min(ctx.pace.longestWait, waitMs * 1.5)
  }
}
