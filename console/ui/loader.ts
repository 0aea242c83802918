import { leaveIfSignedOut } from '../base/session.ts'
import { addFailure, forgetFailure, retryCount } from './failures.ts'
import { leadOneTab } from './lead-one-tab.ts'

/**
 * `waiting`: no request is in progress. `loading`: a request is. `outdated`: its response may be older than the latest
 * change, so another request follows.
 */
type State = 'waiting' | 'loading' | 'outdated'

interface LoaderOptions<T> {
  /** Identifies polled data, which one tab loads for all. Undefined if the data is not polled. */
  name: string | undefined
  ask(signal: AbortSignal): Promise<T>
  /** Shows the data. Returns the milliseconds until the next load; undefined for never. */
  show(data: T): number | undefined
  fail(error: unknown): void
}

/** The time until the next load after a failed one, in milliseconds. */
const failurePause = 10_000

/**
 * Loads data, and polls it while its tab is visible.
 * @param signal ends it: nothing is requested or shown afterwards
 * @returns a function that loads again immediately, or after the current request
 */
export function startLoader<T>(
  signal: AbortSignal,
  { name, ask, show, fail }: LoaderOptions<T>,
): () => void {
  const tabs = name === undefined ? undefined : new BroadcastChannel(name)
  let state: State = 'waiting'
  const is = (one: State) => state === one
  let timer: number | undefined
  let pause: number | undefined
  let isLeading = false

  const plan = () => {
    clearTimeout(timer)
    if (isLeading && pause !== undefined) timer = setTimeout(() => void load(), pause)
  }
  const receive = (data: T) => {
    forgetFailure(reload)
    pause = show(data)
  }
  const load = async () => {
    clearTimeout(timer)
    if (!is('waiting') || signal.aborted) return
    state = 'loading'
    const retries = retryCount()
    try {
      const data = await ask(signal)
      if (signal.aborted) return
      receive(data)
      tabs?.postMessage(data)
    } catch (error) {
      if (signal.aborted) return
      leaveIfSignedOut(error)
      addFailure(error, reload)
      fail(error)
      pause = tabs && failurePause
      if (retryCount() > retries) state = 'outdated'
    }
    const isOutdated = is('outdated')
    state = 'waiting'
    if (isOutdated) void load()
    else plan()
  }
  const reload = () => {
    if (is('loading')) state = 'outdated'
    void load()
  }

  const leave =
    tabs &&
    leadOneTab(tabs.name, () => {
      isLeading = true
      plan()
      return () => {
        isLeading = false
        clearTimeout(timer)
      }
    })
  if (tabs !== undefined) {
    tabs.addEventListener('message', ({ data }: MessageEvent<T>) => receive(data))
    const onVisible = () => document.hidden || void load()
    document.addEventListener('visibilitychange', onVisible, { signal })
  }
  signal.addEventListener('abort', () => {
    forgetFailure(reload)
    leave?.()
    tabs?.close()
  })
  void load()
  return reload
}
