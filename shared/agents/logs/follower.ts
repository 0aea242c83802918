import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import {
  type LogLine,
  type LogPage,
  positionAt,
  UnknownPosition,
} from '#shared/platform/logs/port.ts'
import { type Agent, agentKey, toAgent } from '../record/agent.ts'
import { lastTasks, type PastTask, pastTask, tasksAfter } from '../record/past-tasks.ts'
import type { FollowedEvents, FollowOptions, LogReader } from './context.ts'
import { type LineFilter, wanted } from './filter.ts'
import { readBack } from './history.ts'
import {
  type Position,
  type PositionTask,
  positionWriter,
  type PositionWriter,
} from './position.ts'
import { logStreamRows } from './rows.ts'
import type { LogEvent } from './schema.ts'
import { type LogStream, renewEveryMs, renewStream } from './stream.ts'
import { taskIdOf } from './task-id.ts'

/** The interval between two reads of the agent and the stream's row. */
const lookEveryMs = 1000

/** The maximum number of requests of a search for past lines. */
const maxRequests = 10

/** The maximum number of earlier tasks that a stream may start from. */
const maxTasks = 100

/** The position before the first task. */
const nowhere: Position = { taskId: 'none', generation: 0, from: undefined, seen: 0, ended: true }

type Place = Position & {
  write: PositionWriter
  /** The row of the position's task after it was read; null if it does not exist. */
  past?: PastTask | null
  /** Epoch milliseconds of the task's end; undefined while it is unknown. */
  overSince?: number
}

/** The position of one stream in its agent's logs. */
export class Follower {
  readonly #ctx: Pick<Context, 'table'> & Can<'logs'> & LogReader
  readonly #stream: LogStream
  #agent: Agent
  #place: Place = { ...nowhere, write: () => '' }
  /** The later tasks that are already known, oldest first. */
  #ahead: PastTask[] = []
  /** The agent's revision at the last search without a later task. */
  #lastAt: number | undefined
  #lookedAt = Date.now()
  #renewedAt = Date.now()
  readonly #since: number | undefined
  readonly #filter: LineFilter
  readonly #isWanted: (line: LogLine) => boolean
  /** True if the last read returned lines, even if no line matched the filter. */
  hasRead = false

  constructor(
    ctx: Pick<Context, 'table'> & Can<'logs'> & LogReader,
    { agent, stream, since, contains }: FollowOptions,
  ) {
    this.#ctx = ctx
    this.#since = since
    // A start time only sets where the stream starts: a resumed stream does not filter by it.
    this.#filter = { contains }
    this.#isWanted = wanted(this.#filter)
    this.#agent = agent
    this.#stream = stream
  }

  /** Returns the first events: the connection, and the past lines of a new stream. */
  async connect({ after, tail }: FollowOptions): Promise<FollowedEvents> {
    const connected: FollowedEvents[number] = {
      event: { type: 'connected', agentId: this.#agent.id },
    }
    if (after !== undefined && (await this.#isKept(after))) {
      await this.#enter(after)
      return [connected]
    }
    const since = this.#since
    const lines = since === undefined ? await this.#begin(tail) : await this.#beginAt(since)
    // A reader that disconnects before the first line can resume from here.
    if (lines.length === 0) connected.id = this.#place.write(this.#place)
    return [connected, ...lines]
  }

  /** Reports whether a stream can resume from a position. */
  async #isKept({ taskId, from, ended }: Position): Promise<boolean> {
    if (ended) return true
    try {
      await this.#ctx.logs.read(taskId, from)
      return true
    } catch (error) {
      if (error instanceof UnknownPosition) return false
      throw error
    }
  }

  async #enter(position: Position): Promise<void> {
    const write = await positionWriter(this.#ctx.key, this.#agent.id, position)
    this.#place = { ...position, write }
  }

  /** Returns the newest task's last lines; the stream continues after them. */
  async #begin(tail: number): Promise<FollowedEvents> {
    const newest = this.#newest() ?? (await lastTasks(this.#ctx.table, this.#agent, 1))[0]
    if (newest === undefined) {
      await this.#enter(nowhere)
      return []
    }
    const { generation } = newest
    const taskId = taskIdOf(newest.taskArn)
    const remaining = { requests: maxRequests, lines: Math.max(1, tail) }
    const found = await readBack(this.#ctx, { taskId, query: this.#filter, left: remaining })
    const ended = this.#isOver({ taskId, generation })
    await this.#enter({ taskId, generation, from: found.newest?.next, seen: 0, ended })
    const lines = tail === 0 ? [] : found.lines
    this.#stream.lines += lines.length
    const events: FollowedEvents = lines.map(({ text }) => ({ event: this.#line(text) }))
    const last = events.at(-1)
    // Only the last line has an exact position: of the other lines only the distance from the end is known.
    if (last !== undefined) last.id = this.#place.write(this.#place)
    return events
  }

  /** Starts at the first task that had not ended at that time. Its later lines are then streamed like new lines. */
  async #beginAt(since: number): Promise<FollowedEvents> {
    const newest = this.#newest()
    const past = await lastTasks(this.#ctx.table, this.#agent, maxTasks)
    const late = past.filter(({ endedAt }) => endedAt === undefined || Date.parse(endedAt) >= since)
    const first = late.at(-1) ?? newest
    if (first === undefined) {
      await this.#enter(nowhere)
      return []
    }
    const { taskArn, generation } = first
    const task = { taskId: taskIdOf(taskArn), generation }
    const ended = late.length === 0 && this.#isOver(task)
    await this.#enter({ ...task, from: positionAt(since), seen: 0, ended })
    return []
  }

  /** Returns the new lines or the end of a task, or an empty list. */
  async next(): Promise<FollowedEvents> {
    this.hasRead = false
    if (this.#place.ended && !(await this.#enterNext())) return []
    const place = this.#place
    // Checked before the page is read, so that the page contains everything printed until then.
    const isOver = await this.#isSettled()
    const page = await this.#ctx.logs.read(place.taskId, place.from)
    const lines = page?.lines.slice(place.seen) ?? []
    if (lines.length > 0) {
      const events = lines.flatMap((line) => {
        place.seen += 1
        return this.#isWanted(line) ? { id: place.write(place), event: this.#line(line.text) } : []
      })
      this.hasRead = true
      this.#stream.lines += events.length
      this.#turn(page)
      return events
    }
    // CloudWatch may return an empty page before the end; only at the end it returns the same position.
    const isEnd = page === undefined || page.next === place.from
    this.#turn(page)
    if (!isEnd || !isOver) return []
    this.hasRead = true
    return this.#exit()
  }

  /**
   * Moves the position after a page. A page that was cached for another reader may contain fewer lines than were
   * already sent.
   */
  #turn(page: LogPage | undefined): void {
    if (page === undefined) return
    const seen = Math.max(0, this.#place.seen - page.lines.length)
    Object.assign(this.#place, { from: page.next, seen })
  }

  #line(text: string): LogEvent {
    return { type: 'line', agentId: this.#agent.id, text }
  }

  /** Reports whether the task has ended and its last lines had time to arrive. */
  async #isSettled(): Promise<boolean> {
    const place = this.#place
    if (!this.#isOver(place)) return false
    const { table, pace } = this.#ctx
    if (place.past === undefined)
      place.past = (await pastTask(table, this.#agent, place.generation)) ?? null
    const now = Date.now()
    place.overSince ??= Math.min(now, Date.parse(place.past?.endedAt ?? '') || now)
    return now - place.overSince >= pace.settle
  }

  #exit(): FollowedEvents {
    const place = this.#place
    place.ended = true
    const known = this.#newest()?.generation === place.generation && this.#agent.stopReason
    const code = place.past?.exitCode ?? (known ? known.exitCode : null)
    const event: LogEvent = { type: 'exit', agentId: this.#agent.id, code }
    return [{ id: place.write(place), event }]
  }

  /**
   * Moves to the next task.
   * @returns false if there is no later task yet
   */
  async #enterNext(): Promise<boolean> {
    const next = await this.#following()
    if (next === undefined) return false
    const { taskArn, generation, endedAt } = next
    const beginning = { from: undefined, seen: 0, ended: false }
    await this.#enter({ taskId: taskIdOf(taskArn), generation, ...beginning })
    // The row of an ended task no longer changes.
    if (endedAt !== undefined) this.#place.past = next
    return true
  }

  async #following(): Promise<PastTask | undefined> {
    const { generation, revision } = this.#agent
    if (this.#ahead.length === 0) {
      if (generation <= this.#place.generation || revision === this.#lastAt) return undefined
      this.#ahead = await tasksAfter(this.#ctx.table, this.#agent, this.#place.generation)
    }
    const next = this.#ahead.shift() ?? this.#newest()
    if (next === undefined) this.#lastAt = revision
    return next
  }

  #newest(): PastTask | undefined {
    const { taskArn, generation } = this.#agent
    return taskArn === undefined ? undefined : { taskArn, generation }
  }

  /** Returns whether a task has ended. A replaced task may print until its end is observed. */
  #isOver({ taskId, generation }: PositionTask): boolean {
    const { taskArn, taskStatus, previousTaskArn = '' } = this.#agent
    if (generation < this.#agent.generation) return taskIdOf(previousTaskArn) !== taskId
    // The agent was read before it had this task, or this start.
    if (generation > this.#agent.generation || taskArn === undefined) return false
    return taskStatus === 'STOPPED'
  }

  /** Periodically reads the agent, and reports whether the stream may continue. */
  async look(): Promise<boolean> {
    const now = Date.now()
    if (now - this.#lookedAt < lookEveryMs) return true
    this.#lookedAt = now
    const { table } = this.#ctx
    const { id: agentId, userId } = this.#agent
    const [row, lease] = await table.getMany([
      agentKey({ userId, agentId }),
      logStreamRows.key({ agentId, streamId: this.#stream.id }),
    ])
    if (row === undefined || lease === undefined) return false
    this.#agent = toAgent(row)
    if (this.#agent.deleting) return false
    if (now - this.#renewedAt < renewEveryMs) return true
    this.#renewedAt = now
    return renewStream({ table }, { stream: this.#stream }, now)
  }
}
