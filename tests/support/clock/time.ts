import { setImmediate as turn } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'

/** The number of the clock that runs now; it changes when a test starts or ends its clock. */
let clock = 0

/**
 * Runs timeouts on a fake clock until the test ends. Slow work on a busy machine then does not time out, and silent
 * work times out without a wait.
 */
export function ownTimeouts(): void {
  clock++
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    clock++
    vi.useRealTimers()
  })
}

/**
 * Advances that clock while `waits` returns true, in small steps, so that the next timer keeps nearly all of its time.
 * Each step's messages arrive before the next step.
 */
export async function passTime(waits: () => boolean, stepMs: number, step = () => {}) {
  const began = clock
  while (waits()) {
    step()
    for (let n = 0; n < 5; n++) await turn()
    if (clock !== began) return
    vi.advanceTimersByTime(stepMs)
    // Lets the effects of a timeout run.
    await turn()
  }
}

/** Starts the clock at noon in the middle of the month, so that no hour, day or month ends during a file of tests. */
export function fromMidMonth(): void {
  const now = new Date()
  const noon = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 15, 12)
  const ahead = noon - now.getTime()
  const shifted = new Proxy(Date, {
    construct: (date, given, target) =>
      Reflect.construct(date, given.length === 0 ? [date.now() + ahead] : given, target) as Date,
    get: (date, name) => (name === 'now' ? () => date.now() + ahead : Reflect.get(date, name)),
  })
  vi.stubGlobal('Date', shifted)
}

/**
 * Turns every timeout of seconds into minutes, for a file of tests with other processes: a busy machine may stall one
 * of them, which these tests are not about.
 */
export function unhurried(): void {
  const begin = globalThis.setTimeout
  const abort = AbortSignal.timeout.bind(AbortSignal)
  const longer = (ms = 0) => (ms < 1000 ? ms : 60 * ms)
  const patiently = (run: () => void, ms?: number) => begin(run, longer(ms))
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(patiently as typeof setTimeout)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => abort(longer(ms)))
}
