/**
 * Measures what a developer waits for: the stack's start, an agent's start and the stack's stop; and the stack's memory.
 * `--quick` runs fewer rounds. Fails above limits that leave room for a slow machine.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { median } from '../budgets/measure.ts'
import { launchStack, residentMb } from './launch.ts'
import { provisionOnce, signUp } from './provision.ts'

const quick = process.argv.includes('--quick')
const starts = quick ? 3 : 7
const agents = quick ? 7 : 20

const everyMs = 500
/** V8 keeps the memory of ended threads for 8 s; the window is longer. */
const windowMs = 10_000
const longestMs = 60_000
/** An idle stack stays within it for 10 s. The threads of the minute's schedules exceed it. */
const toleranceMb = 5

// The first start may bundle functions.
await (await launchStack()).stop()

const ready: number[] = []
for (let i = 0; i < starts; i++) {
  const stack = await launchStack()
  ready.push(stack.readyMs)
  await stack.stop()
}

const stack = await launchStack()
const memoryMb = await idleMb(stack.process.pid ?? 0)
const session = await signUp(stack)
const provisions: number[] = []
for (let i = 0; i < agents; i++) provisions.push(await provisionOnce(stack, session, `Bench ${i}`))
const stopMs = await stack.stop()

const figures = [
  { name: 'ready after npm run dev, warm', value: median(ready), limit: 5000, unit: 'ms' },
  { name: 'provision to running, p50', value: median(provisions), limit: 2000, unit: 'ms' },
  { name: `SIGTERM to gone, with ${agents} agents`, value: stopMs, limit: 10_000, unit: 'ms' },
  { name: 'resident memory, idle, no agents', value: memoryMb, limit: 400, unit: 'MB' },
]
const lines = figures.map(
  ({ name, value, limit, unit }) =>
    `${name.padEnd(40)}${value.toFixed(0).padStart(8)} ${unit}   limit ${limit} ${unit}${value > limit ? '  OVER' : ''}`,
)
process.stdout.write(`${lines.join('\n')}\n`)
process.exitCode = figures.some(({ value, limit }) => value > limit) ? 1 : 0

/**
 * Returns the resident memory of an idle stack in MB, as soon as it has been stable for 10 s. A fixed wait would
 * sometimes measure the threads of the schedules, which run each minute. If the memory is not stable within a minute,
 * returns the lowest value of the last 10 s only: the lowest of all would hide that the stack grows.
 */
async function idleMb(pid: number): Promise<number> {
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
