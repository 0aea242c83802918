import type { LogLine } from '../platform/logs/port.ts'

/** Which lines of a log are asked for. */
export interface LineFilter {
  /** Epoch milliseconds: that time and later. */
  since?: number | undefined
  /** What a line's text must hold, in any case of its letters. */
  contains?: string | undefined
}

/** Tells the lines that are asked for from the others. */
export function wanted({ since, contains }: LineFilter): (line: LogLine) => boolean {
  const text = contains?.toLowerCase() ?? ''
  return (line) =>
    (since === undefined || Date.parse(line.at) >= since) &&
    (text === '' || line.text.toLowerCase().includes(text))
}
