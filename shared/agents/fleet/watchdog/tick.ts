import { agentShards } from '#shared/agents/record/agent.ts'
import {
  duePlaces,
  isOfProvisioning,
  lookPlaces,
  timeAt,
  turnAt,
} from '#shared/agents/record/watch/place.ts'
import { type Watch, watchesAt } from '#shared/agents/record/watch/read.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { CheckBatches } from './batches.ts'
import { type Swept, sweepWatches } from './sweep.ts'
import { roundMs, tickMs, timeOfTurn, turnsWithin } from './turns.ts'

/** The number of shards that are read in parallel. */
const concurrency = 4

/**
 * Regular checks within this many milliseconds are sent together, so that messages are full and spread over the minute.
 */
const bucketMs = 5000

/**
 * The lengths above which a queue is long: more messages than its instances handle at the same time. A long queue still
 * contains the messages of an earlier tick, and sending them again would only make it longer.
 */
const fullQueue = {
  checks: 500,
  /** Half a minute of work for ECS. A message that waits longer is in a long queue and not lost. */
  provisioning: 1000,
} as const

type WatchedQueue = keyof typeof fullQueue

/** The numbers of agents in a round. */
export interface WatchdogRound extends Swept {
  /** Agents whose regular check is in this minute. */
  looks: number
  /** Agents with another due step. */
  due: number
  /** Due agents whose message waits in a queue, or may wait there. */
  heldBack: number
}

export interface TickTimes {
  /** Epoch milliseconds. */
  now: number
  /** The scheduled minute of the tick. */
  at: number
}

/**
 * Finds the agents that are due in this minute in the index, and sends their checks to the checks queue, so that the
 * tick's memory use does not grow with the number of agents. Each regular check is sent once, by the tick of its
 * minute.
 */
export async function tick(
  ctx: Pick<Context, 'table' | 'log'> &
    Sends<'checks'> & {
      settings: Pick<WatchdogSettings, 'WATCHDOG_CHECK_INTERVAL'>
      waiting: (queue: WatchedQueue) => Promise<number>
    },
  times: TickTimes,
): Promise<WatchdogRound> {
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
  await Promise.all(Array.from({ length: concurrency }, lane))
  const swept = await sweepWatches(ctx, batches, Math.floor(times.at / tickMs))
  await batches.flush()
  return { ...round, ...swept }
}

/** The length of a queue, compared with the number of messages that its instances handle at the same time. */
type Depth = 'short' | 'long' | 'unknown'

type Depths = Readonly<Record<WatchedQueue, Depth>>

async function depthOf(
  { waiting, log }: Pick<Context, 'log'> & { waiting: (queue: WatchedQueue) => Promise<number> },
  queue: WatchedQueue,
): Promise<Depth> {
  try {
    return (await waiting(queue)) > fullQueue[queue] ? 'long' : 'short'
  } catch (error) {
    log.error('the length of a queue is unknown: no message is sent again', { queue, error })
    return 'unknown'
  }
}

/** Starts at another shard each minute, so that rounds that run out of time leave out different agents. */
function shardsFrom(at: number): number[] {
  const first = Math.floor(at / tickMs) * concurrency
  return Array.from({ length: agentShards }, (_, n) => (first + n) % agentShards)
}

async function findDue(
  { table }: Pick<Context, 'table'>,
  batches: CheckBatches,
  shard: number,
  { now, depths }: TickTimes & { depths: Depths },
): Promise<Pick<WatchdogRound, 'due' | 'heldBack'>> {
  const found = { due: 0, heldBack: 0 }
  for await (const { place, ...ref } of watchesAt(table, shard, duePlaces(now))) {
    found.due++
    if (isHeldBack(place, now, depths)) found.heldBack++
    else await batches.add({ ...ref, dueAt: null })
  }
  return found
}

/**
 * Returns whether a message for the agent's due step waits in a queue, or may wait there. Such a message is not sent
 * again.
 */
function isHeldBack(place: string, now: number, { checks, provisioning }: Depths): boolean {
  const at = timeAt(place)
  // The time 0 means steps that are due at any time, such as notices. They do not wait for provisioning.
  if (at === 0) return checks !== 'short'
  // The tick finds the agent for the first time, but its message was sent with the change and waits in the long queue.
  if (at > now - tickMs) return provisioning === 'long' && isOfProvisioning(place)
  return checks !== 'short' || provisioning !== 'short'
}

async function findLooks(
  {
    table,
    settings,
  }: Pick<Context, 'table'> & { settings: Pick<WatchdogSettings, 'WATCHDOG_CHECK_INTERVAL'> },
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
