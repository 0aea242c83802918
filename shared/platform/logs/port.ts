/** A line that a container printed. */
export interface LogLine {
  /** ISO 8601. */
  at: string
  text: string
}

export interface LogPage {
  lines: LogLine[]
  /** The position after the last line. Reading from it neither skips nor repeats lines. */
  next: string
  /** The position before the first line, set by `last`; absent at the beginning of the log. */
  previous?: string | undefined
}

/** Returns the position of the first line since a time. @param at epoch milliseconds */
export function positionAt(at: number): string {
  return `@${at}`
}

/** Returns the time of a position from `positionAt`; undefined for every other position. */
export function timeOfPosition(place: string): number | undefined {
  const [, at] = /^@(\d{1,15})$/.exec(place) ?? []
  return at === undefined ? undefined : Number(at)
}

/** The position is invalid or too old: CloudWatch's positions expire after 24 hours. */
export class UnknownPosition extends Error {
  override name = 'PlaceUnknown'
}

/** The output of tasks, stored by the engine that runs them. */
export interface ContainerLogs {
  /**
   * Reads the lines after a position, as many as one request returns; without a position, from the beginning. The
   * same position always returns the same lines first.
   * @returns undefined if the task has printed nothing yet or its log has expired
   * @throws UnknownPosition
   */
  read(taskId: string, from: string | undefined): Promise<LogPage | undefined>
  /**
   * Reads the last lines, oldest first; with `before`, a position from `previous`, the lines before it.
   * @param limit 1 to 10,000
   */
  last(taskId: string, limit: number, before?: string): Promise<LogPage | undefined>
}
