import { PlatformError } from '#shared/platform/errors.ts'
import type { Log } from '#shared/platform/log.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { turnCancelRows, turnRows } from './rows.ts'
import { aliveMs, nameOf } from './turn.ts'

/**
 * contract.md 5: a stop closes the connection to the model within a second. The remaining 400 ms are for the read and the
 * calls to the agent, the AI gateway and the provider.
 */
const lookEveryMs = 600

/** The interval of the heartbeat. */
const livesEveryMs = 15_000

/** A turn that is watched until it is disposed of. */
export interface WatchedTurn extends Disposable {
  /** Aborted when the turn is cancelled. */
  signal: AbortSignal
  /** The error of a cancelled turn: 409 CANCELLED, with the reason; undefined before. */
  readonly cancelled: { reason: string | null; error: PlatformError } | undefined
}

/** Checks every 600 ms whether a turn is cancelled, and writes a heartbeat every 15 s. */
export function watchTurn(
  { store, log }: { store: UserStore; log: Log },
  { id }: { id: string },
): WatchedTurn {
  const name = nameOf(id)
  const aborted = new AbortController()
  let cancelled: WatchedTurn['cancelled']
  let livedAt = Date.now()
  let looking = false

  async function look(): Promise<void> {
    const item = await store.get(turnCancelRows.sk({ name }))
    if (item !== undefined) {
      const { reason } = turnCancelRows.parse(item)
      cancelled = { reason, error: cancelledError(reason) }
      aborted.abort()
      clearInterval(timer)
      return
    }
    const now = Date.now()
    if (now - livedAt < livesEveryMs) return
    livedAt = now
    const sign = { set: { aliveUntil: now + aliveMs }, if: 'attribute_exists(pk)' }
    await tryWrite(store.update(turnRows.sk({ name }), sign))
  }

  const timer = setInterval(() => {
    if (looking) return
    looking = true
    look()
      // A failed check is only logged, because the next one follows soon.
      .catch((error: unknown) => log.warn('a turn cannot be watched', { turn: id, error }))
      .finally(() => (looking = false))
  }, lookEveryMs)
  timer.unref()
  return {
    signal: aborted.signal,
    get cancelled() {
      return cancelled
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

function cancelledError(reason: string | null): PlatformError {
  return new PlatformError('conflict', 'The turn was cancelled', {
    code: 'CANCELLED',
    details: { reason },
  })
}
