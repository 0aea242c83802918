import type { Agent } from '../record/agent.ts'
import type { LineFilter } from './filter.ts'
import type { Position } from './position.ts'
import type { LogEvent } from './schema.ts'
import type { LogStream } from './stream.ts'

/** Times in milliseconds. */
export interface Pace {
  /** The time after a task's end until its last lines have arrived. */
  settle: number
  /** The longest delay between checks for new lines. */
  longestWait: number
}

/** A reader of a stream of lines. */
export interface LogReader {
  /** Signs the ids of the events. */
  key: string
  pace: Pace
  /** Aborted when the reader disconnects. */
  signal: AbortSignal
}

export interface FollowOptions extends LineFilter {
  agent: Agent
  stream: LogStream
  /** The position of an earlier stream. */
  after: Position | undefined
  /** The number of past lines to send first, without an earlier stream or a start time. */
  tail: number
  /** The longest duration of the stream, in milliseconds. */
  lastsMs: number
}

/** Events to send together, each with the id to resume after. An empty list is a heartbeat. */
export type FollowedEvents = { id?: string; event: LogEvent }[]
