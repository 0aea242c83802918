import { turns } from '#shared/agents/record/watch/place.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'

/** The time between two ticks, in milliseconds. Each tick handles the regular checks of its minute. */
export const tickMs = 60_000

/** The time between two regular checks of an agent, in milliseconds. More frequent checks have their own messages. */
export function roundMs({
  WATCHDOG_CHECK_INTERVAL,
}: Pick<WatchdogSettings, 'WATCHDOG_CHECK_INTERVAL'>) {
  return Math.max(tickMs, WATCHDOG_CHECK_INTERVAL * 1000)
}

/**
 * Returns the turns of the minute after `from`, as ranges with their first and last turn: two if a round ends within
 * the minute.
 * @param from epoch milliseconds
 */
export function turnsWithin(from: number, round: number): [number, number][] {
  const begin = from % round
  const end = begin + tickMs
  const first = turnFrom(begin, round)
  if (end <= round) return ranges([first, turnFrom(end, round) - 1])
  return ranges([first, turns - 1], [0, turnFrom(end - round, round) - 1])
}

/** Returns the next time of a turn, in epoch milliseconds. */
export function timeOfTurn(turn: number, from: number, round: number): number {
  const at = Math.floor((turn * round) / turns)
  return from + ((at - (from % round) + round) % round)
}

/** Returns the first turn at or after this many milliseconds of a round. */
function turnFrom(ms: number, round: number): number {
  return Math.ceil((ms * turns) / round)
}

function ranges(...all: [number, number][]): [number, number][] {
  return all.filter(([first, last]) => first <= last)
}
