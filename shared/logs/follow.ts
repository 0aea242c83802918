import { setTimeout as wait } from 'node:timers/promises'
import { type Agent, agentKey, toAgent } from '../agents/agent.ts'
import { type LogPage, PlaceUnknown } from '../platform/logs/port.ts'
import type { LogContext } from './context.ts'
import { type Position, positionWriter, type PositionWriter } from './position.ts'
import type { LogEvent } from './schema.ts'
import { type LogStream, renewEveryMs, renewStream, streamKey } from './stream.ts'
import { taskIdOf } from './task-id.ts'

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

export interface FollowOptions {
  agent: Agent
  stream: LogStream
  /** Where an earlier stream was left. */
  after: Position | undefined
  /** Lines of the past to begin with, where there is no earlier stream. */
  tail: number
  /** How long the stream may last, in milliseconds. */
  lastsMs: number
}

/** Events to send together, each with the id that it is resumed after; none says only that the stream is alive. */
export type FollowedEvents = { id?: string; event: LogEvent }[]

/** The first wait between two looks for new lines; while there are none the waits grow. */
const firstWaitMs = 50
/** How often the agent is looked at, and whether the stream was ended. */
const lookEveryMs = 1000
const aliveEveryMs = 15_000

/**
 * What an agent prints, as it does so, over the ends and starts of its tasks. Nothing is read ahead of the reader: a
 * slow one is behind by what the log keeps, and holds no more here than a page. It ends when its time is over, when
 * its row is taken away, or when the agent is deleted.
 */
export async function* followLogs(
  ctx: FollowContext,
  options: FollowOptions,
): AsyncGenerator<FollowedEvents, void> {
  const follower = new Follower(ctx, options)
  const begun =
    options.after === undefined
      ? await follower.begin(options.tail)
      : await follower.resume(options.after, options.tail)
  // Said only now: from here on nothing that is printed is missed.
  yield [{ event: { type: 'connected', agentId: options.agent.id } }, ...begun]
  const endsAt = Date.now() + options.lastsMs
  let waitMs = firstWaitMs
  let toldAt = Date.now()
  while (Date.now() < endsAt && !ctx.signal.aborted) {
    const events = await follower.next()
    if (!(await follower.look())) return
    if (events.length > 0) {
      yield events
      waitMs = firstWaitMs
      toldAt = Date.now()
      continue
    }
    if (Date.now() - toldAt >= aliveEveryMs) {
      yield []
      toldAt = Date.now()
    }
    await wait(waitMs, undefined, { signal: ctx.signal }).catch(() => undefined)
    waitMs = Math.min(ctx.pace.longestWait, waitMs * 1.5)
  }
}

/** Where one stream is in its agent's logs. */
class Follower {
  readonly #ctx: FollowContext
  readonly #stream: LogStream
  #agent: Agent
  #place: (Position & { write: PositionWriter }) | undefined
  /** Since when the task at hand is known to be over. */
  #overSince: number | undefined
  #lookedAt = Date.now()
  #renewedAt = Date.now()

  constructor(ctx: FollowContext, { agent, stream }: FollowOptions) {
    this.#ctx = ctx
    this.#agent = agent
    this.#stream = stream
  }

  /** Goes on from where an earlier stream was left; from one that nobody knows any more, as a new stream does. */
  async resume(position: Position, tail: number): Promise<FollowedEvents> {
    try {
      await this.#ctx.logs.read(position.taskId, position.from)
    } catch (error) {
      if (error instanceof PlaceUnknown) return this.begin(tail)
      throw error
    }
    await this.#enter(position)
    return []
  }

  async #enter(position: Position): Promise<void> {
    const write = await positionWriter(this.#ctx.key, this.#agent.id, position.taskId)
    this.#place = { ...position, write }
    this.#overSince = undefined
  }

  /** The last lines of the newest task, from which the stream goes on. */
  async begin(tail: number): Promise<FollowedEvents> {
    const { taskArn } = this.#agent
    if (taskArn === undefined) return []
    const taskId = taskIdOf(taskArn)
    const page = await this.#ctx.logs.last(taskId, Math.max(1, tail))
    await this.#enter({ taskId, from: page?.next, seen: 0, ended: this.#isOver(taskId) })
    const lines = tail === 0 ? [] : (page?.lines ?? [])
    this.#stream.lines += lines.length
    const events: FollowedEvents = lines.map(({ text }) => ({ event: this.#line(text) }))
    const last = events.at(-1)
    // Only the last one has a place of its own: the others are known by their distance from the end.
    if (last !== undefined && this.#place !== undefined) last.id = this.#place.write(this.#place)
    return events
  }

  /** What has come since, or the end of a task; nothing where nothing has. */
  async next(): Promise<FollowedEvents> {
    const place = this.#place
    if (place === undefined || place.ended) {
      await this.#enterNext()
      return []
    }
    const page = await this.#ctx.logs.read(place.taskId, place.from)
    const lines = page?.lines.slice(place.seen) ?? []
    if (lines.length > 0) {
      const events = lines.map(({ text }) => {
        place.seen += 1
        return { id: place.write(place), event: this.#line(text) }
      })
      this.#stream.lines += lines.length
      this.#turn(page)
      return events
    }
    this.#turn(page)
    return this.#exit()
  }

  /** What was read is seen. A page that was read for another a moment ago may hold less than was seen before. */
  #turn(page: LogPage | undefined): void {
    if (this.#place === undefined || page === undefined) return
    const seen = Math.max(0, this.#place.seen - page.lines.length)
    Object.assign(this.#place, { from: page.next, seen })
  }

  #line(text: string): LogEvent {
    return { type: 'line', agentId: this.#agent.id, text }
  }

  /** The task's end, once it is known and its last words had the time to come. */
  #exit(): FollowedEvents {
    const place = this.#place
    if (place === undefined || !this.#isOver(place.taskId)) return []
    this.#overSince ??= Date.now()
    if (Date.now() - this.#overSince < this.#ctx.pace.settle) return []
    place.ended = true
    const code = this.#isNewest(place.taskId) ? (this.#agent.stopReason?.exitCode ?? null) : null
    const event: LogEvent = { type: 'exit', agentId: this.#agent.id, code }
    return [{ id: place.write(place), event }]
  }

  async #enterNext(): Promise<void> {
    const { taskArn } = this.#agent
    if (taskArn === undefined || taskIdOf(taskArn) === this.#place?.taskId) return
    await this.#enter({ taskId: taskIdOf(taskArn), from: undefined, seen: 0, ended: false })
  }

  #isNewest(taskId: string): boolean {
    return this.#agent.taskArn !== undefined && taskIdOf(this.#agent.taskArn) === taskId
  }

  #isOver(taskId: string): boolean {
    return !this.#isNewest(taskId) || this.#agent.taskStatus === 'STOPPED'
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
      streamKey(this.#stream),
    ])
    if (row === undefined || lease === undefined) return false
    this.#agent = toAgent(row)
    if (this.#agent.deleting) return false
    if (now - this.#renewedAt < renewEveryMs) return true
    this.#renewedAt = now
    return renewStream(table, this.#stream, now)
  }
}
