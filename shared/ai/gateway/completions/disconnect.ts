import { PlatformError } from '#shared/platform/errors.ts'

/** After the caller disconnects, the answer is read for this time, which is enough for most answers. */
const readOnMs = 10_000

/** A call that waits for the model's answer. */
export interface Waiting {
  stream: boolean
  /** Ends the call as if its caller had left. */
  leave(): void
}

/** Ends a call to a model after its caller has left. */
export interface Disconnect {
  /** Aborted when the call must end. */
  readonly ends: AbortSignal
  /** True if the caller has left: no other model is called. */
  readonly left: boolean
  /** The caller has left. The call continues for ten seconds at most, because the token count comes at the end. */
  leave(): void
  /** Ends the call now. */
  stop(): void
  /** Ends the watch: the call is finished, so a disconnect has no effect. */
  over(): void
}

/**
 * @param signal aborted once the caller has left
 * @param stops true if a disconnect ends the call immediately, because the answer is no longer needed
 * @param onStop called before the call ends early
 */
export function watchDisconnect(
  {
    signal,
    deadline,
    stops,
  }: { signal: AbortSignal; deadline?: AbortSignal | undefined; stops: boolean },
  onStop: () => void,
): Disconnect {
  const ended = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let isDisconnected = false

  function stop(): void {
    clearTimeout(timer)
    if (ended.signal.aborted) return
    onStop()
    ended.abort()
  }

  function leave(): void {
    isDisconnected = true
    if (stops) stop()
    else timer ??= setTimeout(stop, readOnMs)
  }

  signal.addEventListener('abort', leave, { once: true })
  return {
    ends: deadline === undefined ? ended.signal : AbortSignal.any([ended.signal, deadline]),
    get left() {
      return isDisconnected
    },
    leave,
    stop,
    over() {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    },
  }
}

export function callerDisconnected(): PlatformError {
  return new PlatformError('bad-request', 'The caller disconnected', {
    code: 'CLIENT_CLOSED_REQUEST',
  })
}
