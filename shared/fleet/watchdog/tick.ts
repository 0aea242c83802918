import { agentShards } from '../../agents/agent.ts'
import {
  duePlaces,
  isOfProvisioning,
  lookPlaces,
  timeAt,
  turnAt,
} from '../../agents/watch/place.ts'
import { type Watch, watchesAt } from '../../agents/watch/read.ts'
import type { Queues } from '../../platform/queues/port.ts'
import type { Log } from '../../platform/log.ts'
import type { Table } from '../../platform/table/port.ts'
import type { WatchdogSettings } from '../../watchdog/settings.ts'
import { CheckBatches } from './batches.ts'
import { type Swept, sweep } from './sweep.ts'
import { roundMs, tickMs, timeOfTurn, turnsWithin } from './turns.ts'

/** Shards that are read side by side. */
const atOnce = 4

/** Looks whose time is within so many milliseconds go together: full messages, spread over the minute. */
const bucketMs = 5000

/**
 * More messages than a queue's instances take at once. While so many wait, what follows from an earlier tick is still among
 * them, and to send it again would only make them more.
 */
const fullQueue = {
  checks: 500,
  /** Half a minute's work for ECS. Who waits longer than that waits in a long queue; the message is not lost. */
  provisioning: 1000,
} as const

type WatchedQueue = keyof typeof fullQueue

export interface TickContext {
  table: Table
  queues: Queues<'checks'>
  log: Log
  settings: Pick<WatchdogSettings, 'WATCHDOG_CHECK_INTERVAL'>
  /** How many messages of a queue wait, about. */
  waiting: (queue: WatchedQueue) => Promise<number>
}

/** What a round came to, in agents. */
export interface Round extends Swept {
  /** Those whose regular look is in this minute. */
  looks: number
  /** Those that something else is due for. */
  due: number
  /** Of those, the ones whose message still waits in a queue, or may. */
  heldBack: number
}

export interface TickTimes {
  /** Epoch milliseconds. */
  now: number
  /** The beginning of the minute that the tick is for, as its schedule says. */
  at: number
}

/**
 * One round over the agents that are to be seen to in this minute: it only finds them, by their places in the index, and
 * leaves the work to the checks queue, so that its own time grows with them and its memory does not. Each regular look is
 * asked for once, by the tick in whose minute it is.
 */
export async function tick(ctx: TickContext, times: TickTimes): Promise<Round> {
  const batches = new CheckBatches(ctx.queues)
  const round = { looks: 0, due: 0, heldBack: 0 }
  const depths = {
    checks: await depthOf(ctx, 'checks'),
    provisioning: await depthOf(ctx, 'provisioning'),
  }
  const shards = shardsFrom(times.at)
  const lane = async () => {
    for (let shard = shards.shift(); shard !== undefined; shard = shards.shift()) {
      const { due, heldBack } = await findDue(ctx, batches, shard, { ...times, depths })
      round.due += due
      round.heldBack += heldBack
      const looks = await findLooks(ctx, batches, shard, times)
      round.looks += looks
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  const swept = await sweep(ctx, batches, Math.floor(times.at / tickMs))
  await batches.flush()
  return { ...round, ...swept }
}

/** How much waits in a queue, measured by what its instances take at once. */
type Depth = 'short' | 'long' | 'unknown'

type Depths = Readonly<Record<WatchedQueue, Depth>>

async function depthOf({ waiting, log }: TickContext, queue: WatchedQueue): Promise<Depth> {
  try {
    return (await waiting(queue)) > fullQueue[queue] ? 'long' : 'short'
  } catch (error) {
    log.error('how many messages wait is unknown: nothing is sent again', { queue, error })
    return 'unknown'
  }
}

/** Another first shard each minute: a round that finds no time for all leaves out others than the one before. */
function shardsFrom(at: number): number[] {
  const first = Math.floor(at / tickMs) * atOnce
  return Array.from({ length: agentShards }, (_, n) => (first + n) % agentShards)
}

async function findDue(
  { table }: TickContext,
  batches: CheckBatches,
  shard: number,
  { now, depths }: TickTimes & { depths: Depths },
): Promise<Pick<Round, 'due' | 'heldBack'>> {
  const found = { due: 0, heldBack: 0 }
  for await (const { place, ...ref } of watchesAt(table, shard, duePlaces(now))) {
    found.due++
    if (isHeldBack(place, now, depths)) found.heldBack++
    else await batches.add({ ...ref, dueAt: null })
  }
  return found
}

/** Whether a message about what an agent is due for waits already, or may: what was found before is not sent again. */
function isHeldBack(place: string, now: number, { checks, provisioning }: Depths): boolean {
  const at = timeAt(place)
  // Place 0 is of what is due at any time, such as a notice: it does not wait for provisioning.
  if (at === 0) return checks !== 'short'
  // It is found for the first time, but was sent as the agent was changed: it waits in a long queue as all do.
  if (at > now - tickMs) return provisioning === 'long' && isOfProvisioning(place)
  return checks !== 'short' || provisioning !== 'short'
}

async function findLooks(
  { table, settings }: TickContext,
  batches: CheckBatches,
  shard: number,
  { now, at }: TickTimes,
): Promise<number> {
  const round = roundMs(settings)
  let found = 0
  for (const [first, last] of turnsWithin(at, round))
    for await (const watch of watchesAt(table, shard, lookPlaces(first, last))) {
      found++
      await addLook(batches, watch, { now, at, look: timeOfTurn(turnAt(watch.place), at, round) })
    }
  return found
}

async function addLook(
  batches: CheckBatches,
  { userId, agentId }: Watch,
  { now, at, look }: TickTimes & { look: number },
): Promise<void> {
  const bucket = at + Math.floor((look - at) / bucketMs) * bucketMs
  await batches.add({ userId, agentId, dueAt: null, look }, (bucket - now) / 1000)
}
