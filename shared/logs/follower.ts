import { type Agent, agentKey, toAgent } from '../agents/agent.ts'
import { lastTasks, type PastTask, pastTask, tasksAfter } from '../agents/past-tasks.ts'
import { type LogLine, type LogPage, placeAt, PlaceUnknown } from '../platform/logs/port.ts'
import type { FollowContext, FollowedEvents, FollowOptions } from './context.ts'
import { type LineFilter, wanted } from './filter.ts'
import { readBack } from './history.ts'
import {
  type Position,
  type PositionTask,
  positionWriter,
  type PositionWriter,
} from './position.ts'
import type { LogEvent } from './schema.ts'
import { logStreamRows } from './rows.ts'
import { type LogStream, renewEveryMs, renewStream } from './stream.ts'
import { taskIdOf } from './task-id.ts'

/** How often the agent is looked at, and whether the stream was ended. */
const lookEveryMs = 1000

/** How many requests a search for the lines of the past may take. */
const mostRequests = 10

/** How many tasks back a stream may begin. */
const mostTasks = 100

/** Before the first task of an agent that has had none. */
const nowhere: Position = { taskId: 'none', generation: 0, from: undefined, seen: 0, ended: true }

type Place = Position & {
  write: PositionWriter
  /** The row of its task, once it was looked for: null where there is none. */
  past?: PastTask | null
  /** Epoch milliseconds since which its task is over, once that is known. */
  overSince?: number
}

/** Where one stream is in its agent's logs. */
export class Follower {
  readonly #ctx: FollowContext
  readonly #stream: LogStream
  #agent: Agent
  #place: Place = { ...nowhere, write: () => '' }
  /** The tasks after the one at hand, oldest first, as far as they were looked for. */
  #ahead: PastTask[] = []
  /** The agent's revision at which it was found to have no later task. */
  #lastAt: number | undefined
  #lookedAt = Date.now()
  #renewedAt = Date.now()
  readonly #since: number | undefined
  readonly #filter: LineFilter
  readonly #isWanted: (line: LogLine) => boolean
  /** Whether the last look brought something, also where none of it is wanted. */
  hasRead = false

  constructor(ctx: FollowContext, { agent, stream, since, contains }: FollowOptions) {
    this.#ctx = ctx
    this.#since = since
    // A time is where a stream begins; one that is resumed later leaves out nothing because of it.
    this.#filter = { contains }
    this.#isWanted = wanted(this.#filter)
    this.#agent = agent
    this.#stream = stream
  }

  /** The first events: that the stream is there, and the lines of the past that a new one begins with. */
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
    // Who leaves before the first line goes on from here all the same.
    if (lines.length === 0) connected.id = this.#place.write(this.#place)
    return [connected, ...lines]
  }

  /** Whether a stream can go on from where an earlier one was left. */
  async #isKept({ taskId, from, ended }: Position): Promise<boolean> {
    if (ended) return true
    try {
      await this.#ctx.logs.read(taskId, from)
      return true
    } catch (error) {
      if (error instanceof PlaceUnknown) return false
      throw error
    }
  }

  async #enter(position: Position): Promise<void> {
    const write = await positionWriter(this.#ctx.key, this.#agent.id, position)
    this.#place = { ...position, write }
  }

  /** The last lines of the newest task, from which the stream goes on. */
  async #begin(tail: number): Promise<FollowedEvents> {
    const newest = this.#newest() ?? (await lastTasks(this.#ctx.table, this.#agent, 1))[0]
    if (newest === undefined) {
      await this.#enter(nowhere)
      return []
    }
    const { generation } = newest
    const taskId = taskIdOf(newest.taskArn)
    const left = { requests: mostRequests, lines: Math.max(1, tail) }
    const found = await readBack(this.#ctx, { taskId, query: this.#filter, left })
    const ended = this.#isOver({ taskId, generation })
    await this.#enter({ taskId, generation, from: found.newest?.next, seen: 0, ended })
    const lines = tail === 0 ? [] : found.lines
    this.#stream.lines += lines.length
    const events: FollowedEvents = lines.map(({ text }) => ({ event: this.#line(text) }))
    const last = events.at(-1)
    // Only the last one has a place of its own: the others are known by their distance from the end.
    if (last !== undefined) last.id = this.#place.write(this.#place)
    return events
  }

  /** Goes on from the first task that was not over by then: what it said later comes as what is printed now does. */
  async #beginAt(since: number): Promise<FollowedEvents> {
    const newest = this.#newest()
    const past = await lastTasks(this.#ctx.table, this.#agent, mostTasks)
    const late = past.filter(({ endedAt }) => endedAt === undefined || Date.parse(endedAt) >= since)
    const first = late.at(-1) ?? newest
    if (first === undefined) {
      await this.#enter(nowhere)
      return []
    }
    const { taskArn, generation } = first
    const task = { taskId: taskIdOf(taskArn), generation }
    const ended = late.length === 0 && this.#isOver(task)
    await this.#enter({ ...task, from: placeAt(since), seen: 0, ended })
    return []
  }

  /** What has come since, or the end of a task; nothing where nothing has. */
  async next(): Promise<FollowedEvents> {
    this.hasRead = false
    if (this.#place.ended && !(await this.#enterNext())) return []
    const place = this.#place
    // Known before the page is read: what is printed until then is in it.
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
    // CloudWatch may answer nothing before the end; only the end is answered with the same place.
    const isEnd = page === undefined || page.next === place.from
    this.#turn(page)
    if (!isEnd || !isOver) return []
    this.hasRead = true
    return this.#exit()
  }

  /** What was read is seen. A page that was read for another a moment ago may hold less than was seen before. */
  #turn(page: LogPage | undefined): void {
    if (page === undefined) return
    const seen = Math.max(0, this.#place.seen - page.lines.length)
    Object.assign(this.#place, { from: page.next, seen })
  }

  #line(text: string): LogEvent {
    return { type: 'line', agentId: this.#agent.id, text }
  }

  /** Whether the task is known to be over and its last words had the time to come. */
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

  /** Goes on with the task after this one, however many there are after that. @returns false where there is none yet */
  async #enterNext(): Promise<boolean> {
    const next = await this.#following()
    if (next === undefined) return false
    const { taskArn, generation, endedAt } = next
    const beginning = { from: undefined, seen: 0, ended: false }
    await this.#enter({ taskId: taskIdOf(taskArn), generation, ...beginning })
    // What is known of one that has ended changes no more.
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

  /** A task that was replaced still has something to say until it is seen to have ended. */
  #isOver({ taskId, generation }: PositionTask): boolean {
    const { taskArn, taskStatus, previousTaskArn = '' } = this.#agent
    if (generation < this.#agent.generation) return taskIdOf(previousTaskArn) !== taskId
    // The agent was looked at before it had this task, or this start.
    if (generation > this.#agent.generation || taskArn === undefined) return false
    return taskStatus === 'STOPPED'
  }

  /** Every now and then: how the agent is, and whether the stream may go on. */
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
