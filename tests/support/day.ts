import { setTimeout as wait } from 'node:timers/promises'

const dayMs = 24 * 60 * 60_000
const enoughMs = 60_000

/**
 * Waits for midnight where that is near, so that tests which count by the day or the month through a stack of processes,
 * whose clocks are the system's, see one day.
 */
export async function untilTheDayIsLong(): Promise<void> {
  const left = dayMs - (Date.now() % dayMs)
  if (left < enoughMs) await wait(left)
}
