import type { BigIntStats } from 'node:fs'

/** File systems date changes in steps of up to 10 ms. A file that was changed less long ago may change unnoticed. */
const settledMs = 50n

/** Returns a text that differs after a change of a file. */
export function statOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}:${mtimeNs}:${ctimeNs}:${ino}`
}

/** Returns whether every later change of the file changes `statOf`. @param now when it was last read, in milliseconds */
export function isSettled({ mtimeNs, ctimeNs }: BigIntStats, now: number): boolean {
  const last = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  return last < (BigInt(now) - settledMs) * 1_000_000n
}

/** Returns the permission bits; undefined for the default. */
export function modeOf({ mode }: BigIntStats, standard: number): number | undefined {
  const bits = Number(mode) & 0o7777
  return bits === standard ? undefined : bits
}

/** Returns the last modification in epoch milliseconds, rounded: a date that was set can be a microsecond too early. */
export function mtimeOf({ mtimeNs }: BigIntStats): number {
  return Number((mtimeNs + 500_000n) / 1_000_000n)
}
