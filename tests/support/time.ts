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
 * Lets time go by on that clock while `waits` says that somebody still waits, in steps so small that whoever comes next
 * has lost hardly any of theirs. What is sent at each step has arrived before the next.
 */
export async function passTime(waits: () => boolean, stepMs: number, step = () => {}) {
  const began = clock
  while (waits()) {
    step()
    for (let n = 0; n < 5; n++) await turn()
    if (clock !== began) return
    vi.advanceTimersByTime(stepMs)
  }
}
