import { setImmediate as turn } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'

/** Which test's clock is the one that runs. */
let clock = 0

/**
 * Lets timeouts run by the test's own clock until the test ends: what is only slow, because the machine is, is not
 * given up then, and what is silent is given up without a wait.
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
 * Lets time go by on that clock while `waits` says that something still waits, in steps so small that the next timer
 * has lost hardly any of its time. What is sent at each step has arrived before the next.
 */
export async function passTime(waits: () => boolean, stepMs: number, step = () => {}) {
  const began = clock
  while (waits()) {
    step()
    for (let n = 0; n < 5; n++) await turn()
    if (clock !== began) return
    vi.advanceTimersByTime(stepMs)
    // For what follows from a timeout.
    await turn()
  }
}

/** Has the clock go on from a noon in the middle of the month, so that no hour, day or month ends during a file of tests. */
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
 * Makes minutes of every timeout of seconds, for a file of tests with processes beside it: that a busy machine stops one
 * of them for a while is nothing that they are about.
 */
export function unhurried(): void {
  const begin = globalThis.setTimeout
  const abort = AbortSignal.timeout.bind(AbortSignal)
  const longer = (ms = 0) => (ms < 1000 ? ms : 60 * ms)
  const patiently = (run: () => void, ms?: number) => begin(run, longer(ms))
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(patiently as typeof setTimeout)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => abort(longer(ms)))
}
