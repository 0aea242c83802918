import type { LogLine } from '#shared/platform/logs/port.ts'

/** A filter for log lines. */
export interface LineFilter {
  /** Epoch milliseconds; lines from that time on. */
  since?: number | undefined
  /** The text that a line must contain, case-insensitive. */
  contains?: string | undefined
}

/** Returns a function that reports whether a line matches the filter. */
export function wanted({ since, contains }: LineFilter): (line: LogLine) => boolean {
  const text = contains?.toLowerCase() ?? ''
  return (line) =>
    (since === undefined || Date.parse(line.at) >= since) &&
    (text === '' || line.text.toLowerCase().includes(text))
}
