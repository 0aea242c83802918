import { setTimeout as wait } from 'node:timers/promises'
import type { FollowContext, FollowedEvents, FollowOptions } from './context.ts'
import { Follower } from './follower.ts'

/** The first wait between two looks for new lines; while there are none the waits grow. */
const firstWaitMs = 50
const aliveEveryMs = 15_000

/**
 * What an agent prints, as it does so, over the ends and starts of its tasks. Nothing is read ahead of the reader: a
 * slow one is behind by what the log keeps, and holds no more here than a page. It ends when its time is over, when
 * its row is taken away, or when the agent is deleted.
 */
export async function* followLogs(
  ctx: FollowContext,
  options: FollowOptions,
): AsyncGenerator<FollowedEvents, void> {
  const follower = new Follower(ctx, options)
  // Said only once it is known where the stream begins: from there on nothing that is printed is missed.
  yield await follower.connect(options)
  const endsAt = Date.now() + options.lastsMs
  let waitMs = firstWaitMs
  let toldAt = Date.now()
  while (Date.now() < endsAt && !ctx.signal.aborted) {
    const events = await follower.next()
    if (!(await follower.look())) return
    if (events.length > 0) {
      yield events
      toldAt = Date.now()
    }
    if (Date.now() - toldAt >= aliveEveryMs) {
      yield []
      toldAt = Date.now()
    }
    if (follower.hasRead) {
      waitMs = firstWaitMs
      continue
    }
    await wait(waitMs, undefined, { signal: ctx.signal }).catch(() => undefined)
    waitMs = Math.min(ctx.pace.longestWait, waitMs * 1.5)
  }
}
