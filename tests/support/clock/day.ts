import { setTimeout as wait } from 'node:timers/promises'

const dayMs = 24 * 60 * 60_000
const enoughMs = 60_000

/**
 * Waits until after midnight if it is near. Tests that count by day or month through a stack's processes, whose clocks
 * are the system's, then run within one day.
 */
export async function untilDayHasTime(): Promise<void> {
  const left = dayMs - (Date.now() % dayMs)
  if (left < enoughMs) await wait(left)
}
