/** One line of what a container printed. */
export interface LogLine {
  /** ISO 8601. */
  at: string
  text: string
}

export interface LogPage {
  lines: LogLine[]
  /** The place behind the last of them; asked for from there, nothing is left out and nothing comes twice. */
  next: string
  /** The place in front of the first of them, for `last`; absent where nothing comes before. */
  previous?: string | undefined
}

/** The place in front of what was printed at a time and later. @param at epoch milliseconds */
export function placeAt(at: number): string {
  return `@${at}`
}

/** The time that `placeAt` made a place of; undefined for every other place. */
export function timeOfPlace(place: string): number | undefined {
  const [, at] = /^@(\d{1,15})$/.exec(place) ?? []
  return at === undefined ? undefined : Number(at)
}

/** A place is none, or is too old: CloudWatch forgets them after 24 hours. */
export class PlaceUnknown extends Error {
  override name = 'PlaceUnknown'
}

/** What tasks print, kept by the engine that runs them. */
export interface ContainerLogs {
  /**
   * What follows a place, as much as one request brings; without a place, from the beginning. A place asked for again
   * is answered with the same lines first.
   * @returns undefined for a task that has printed nothing yet, or whose log is no longer kept
   * @throws PlaceUnknown
   */
  read(taskId: string, from: string | undefined): Promise<LogPage | undefined>
  /**
   * The last lines, oldest first, or those in front of a place that `previous` named.
   * @param limit 1 to 10,000
   */
  last(taskId: string, limit: number, before?: string): Promise<LogPage | undefined>
}
