/** Returns the seconds since the epoch, as in `expiresAt` and in tokens. @param ms epoch milliseconds */
export function epochSeconds(ms = Date.now()): number {
  return Math.floor(ms / 1000)
}

/** Returns a time in ISO 8601 and UTC, with milliseconds. @param ms epoch milliseconds */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
