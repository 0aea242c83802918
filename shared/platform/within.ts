import { setTimeout as wait } from 'node:timers/promises'

/** Waits for a promise for at most `ms` milliseconds. @returns undefined if it takes longer */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const settled = new AbortController()
  const late = wait(ms, undefined, { signal: settled.signal })
  return Promise.race([promise, late]).finally(() => settled.abort())
}
