import type { Log } from '../platform/log.ts'
import type { Probe } from './ready.ts'

/** Whether a probe succeeds within so many milliseconds; false too where there is none. */
export async function within(ms: number, probe: Probe | undefined, log: Log): Promise<boolean> {
  if (probe === undefined) return false
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  const asked = probe().then(
    () => true,
    (error: unknown) => {
      log.warn('a probe failed', { error })
      return false
    },
  )
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}
