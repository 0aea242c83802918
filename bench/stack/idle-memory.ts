import { setTimeout as wait } from 'node:timers/promises'
import { residentMb } from './launch.ts'

const everyMs = 500
/** V8 keeps the memory of ended threads for 8 s; the window is longer. */
const windowMs = 10_000
const longestMs = 60_000
/** An idle stack stays within it for 10 s. The threads of the minute's schedules exceed it. */
const toleranceMb = 5

/**
 * Returns the resident memory of an idle stack in MB, as soon as it has been stable for 10 s. A fixed wait would
 * sometimes measure the threads of the schedules, which run each minute. If the memory is not stable within a minute,
 * returns the lowest value of the last 10 s only: the lowest of all would hide that the stack grows.
 */
export async function idleMb(pid: number): Promise<number> {
  const samples: number[] = []
  const count = windowMs / everyMs
  for (let waitedMs = 0; waitedMs < longestMs; waitedMs += everyMs) {
    await wait(everyMs)
    samples.push(residentMb(pid))
    if (samples.length > count) samples.shift()
    const stable = Math.max(...samples) - Math.min(...samples) <= toleranceMb
    if (samples.length === count && stable) break
  }
  return Math.min(...samples)
}
