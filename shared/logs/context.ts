import type { Agent } from '../agents/agent.ts'
import type { ContainerLogs } from '../platform/logs/port.ts'
import type { Table } from '../platform/table/port.ts'
import type { LineFilter } from './filter.ts'
import type { Position } from './position.ts'
import type { LogEvent } from './schema.ts'
import type { LogStream } from './stream.ts'

export interface LogContext {
  table: Table
  logs: ContainerLogs
}

/** In milliseconds. */
export interface Pace {
  /** How long after a task's end its last words may still come. */
  settle: number
  /** The longest wait between two looks for new lines. */
  longestWait: number
}

export interface FollowContext extends LogContext {
  /** Signs the ids of the events. */
  key: string
  pace: Pace
  /** Aborted when the reader leaves. */
  signal: AbortSignal
}

export interface FollowOptions extends LineFilter {
  agent: Agent
  stream: LogStream
  /** Where an earlier stream was left. */
  after: Position | undefined
  /** Lines of the past to begin with, where there is neither an earlier stream nor a time to begin at. */
  tail: number
  /** How long the stream may last, in milliseconds. */
  lastsMs: number
}

/** Events to send together, each with the id that it is resumed after; none says only that the stream is alive. */
export type FollowedEvents = { id?: string; event: LogEvent }[]
