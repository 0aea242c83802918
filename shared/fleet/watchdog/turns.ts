import { turns } from '../../agents/watch/place.ts'
import type { WatchdogSettings } from '../../watchdog/settings.ts'

/** A tick sees to the regular looks of the minute that it is for, in milliseconds. */
export const tickMs = 60_000

/** A round of regular looks, in milliseconds. Looks that are wanted more often have messages of their own. */
export function roundMs({
  WATCHDOG_CHECK_INTERVAL,
}: Pick<WatchdogSettings, 'WATCHDOG_CHECK_INTERVAL'>) {
  return Math.max(tickMs, WATCHDOG_CHECK_INTERVAL * 1000)
}

/** The turns that come up within a minute, first and last of each range. @param from epoch milliseconds */
export function turnsWithin(from: number, round: number): [number, number][] {
  const begin = from % round
  const end = begin + tickMs
  const first = turnFrom(begin, round)
  if (end <= round) return ranges([first, turnFrom(end, round) - 1])
  return ranges([first, turns - 1], [0, turnFrom(end - round, round) - 1])
}

/** When a turn comes up, in epoch milliseconds: the first time from then on. */
export function timeOfTurn(turn: number, from: number, round: number): number {
  const at = Math.floor((turn * round) / turns)
  return from + ((at - (from % round) + round) % round)
}

/** The first turn that comes up so long after the beginning of a round, or later. */
function turnFrom(ms: number, round: number): number {
  return Math.ceil((ms * turns) / round)
}

function ranges(...all: [number, number][]): [number, number][] {
  return all.filter(([first, last]) => first <= last)
}
