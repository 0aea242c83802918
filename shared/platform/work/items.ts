import { isDeepStrictEqual } from 'node:util'
import type { QueueName } from '#shared/manifest/queues.ts'
import type { Queues } from '../queues/port.ts'
import { sendDue } from '../queues/send-due.ts'
import type { Topic } from '../queues/topic.ts'
import { mergeParts, type Parts, type Refusals, tryCommit } from '../table/commit.ts'
import {
  type Condition,
  ConditionFailed,
  type Item,
  type Key,
  type Table,
  type Update,
  type Write,
} from '../table/port.ts'
import { tryWrite } from '../table/try-write.ts'
import type { DueIndex } from './due-index.ts'
import type { Fence } from './fence.ts'
import { LeaseLost } from './lease-lost.ts'

/** The maximum delay of a message in seconds. After a longer delay, the tick sends the message. */
const longestDelay = 900

export interface WorkOptions<Held, Row extends Held, Message, Queue extends QueueName> {
  rows: { parse(item: Item): Row }
  /** Returns the key of a row from `Held`, the attributes of its key and of its fencing token. */
  key: (held: Held) => Key
  /** Returns the id in the index. */
  id: (held: Held) => string
  due: DueIndex
  fence: Fence<Held>
  topic: Topic<Message, Queue>
  /** Returns the message that requests the next claim of a row; undefined if it has no work. */
  message: (held: Held) => Message | undefined
  /** The duration of the lease, longer than the time between two writes of a holder. */
  leaseMs: number
  /** Milliseconds after its delay until the tick treats a delayed message as lost, and sends it again. */
  lostMs: number
  /**
   * Milliseconds until the tick sends the message of a row again that no consumer has claimed. Default: five minutes.
   * It must be longer than messages wait in the queue.
   */
  resendMs?: number
  /** The attributes that the tick reads. Default: all. */
  select?: readonly string[]
}

type Change = Pick<Update, 'set' | 'remove'>

interface Claim<Message> {
  /** The received message. Without one, the row is claimed as it was read. */
  message?: Message
  /** An additional condition of the write. */
  only?: Condition & { if: string }
  /** Epoch milliseconds. */
  now?: number
}

/**
 * Declares durable work: a row that stays in the index until the work is finished, and a message that makes a consumer
 * claim it. Messages may be late, lost or repeated, and a process may end anywhere: the tick requests the next claim
 * after the lease has expired, and a holder whose lease was lost can no longer write, so the work is finished once. The
 * noun defines the states of the work: a holder that finds the writes of an earlier holder decides how to continue.
 */
/* @__NO_SIDE_EFFECTS__ */
export function workItems<Held, Row extends Held, Message, Queue extends QueueName>(
  options: WorkOptions<Held, Row, Message, Queue>,
) {
  const { rows, key, id, due, fence, topic, message, leaseMs, lostMs } = options

  /** Returns the condition that no other holder has claimed the row and the work is not finished. */
  const still = (held: Held) => and(fence.still(held), unfinished)

  /**
   * Writes to the row without ending the claim.
   * @throws LeaseLost
   */
  const save = async ({ table }: Store, held: Held, change: Change): Promise<void> => {
    if (!(await tryWrite(table.update(key(held), { ...change, ...still(held) }))))
      throw new LeaseLost(id(held))
  }

  /** Reports whether a received message requests the next claim of a row. Otherwise it is outdated. */
  const isRequested = (row: Held, received: Message): boolean =>
    isDeepStrictEqual(message(row), received)

  /** Returns the write that finishes the work, for a transaction. */
  const finished = (held: Held, change: Change): Write => ({
    update: key(held),
    ...withoutIndex(change),
    ...still(held),
  })

  return {
    still,
    isRequested,
    save,
    finished,

    /**
     * Claims a row for the time of the lease. If several processes claim the same row with the same message, one
     * succeeds.
     * @returns the claimed row, with all writes of earlier holders; undefined if the message is outdated, the work is
     * finished or another holder was first
     */
    async claim(
      { table }: Store,
      row: Held,
      { message: received, only, now = Date.now() }: Claim<Message> = {},
    ): Promise<Row | undefined> {
      if (received !== undefined && !isRequested(row, received)) return undefined
      const until = now + leaseMs
      const claim = fence.claim(row, { now, until })
      try {
        const item = await table.update(key(row), {
          ...claim,
          set: { ...claim.set, ...due.at(id(row), until) },
          ...and(claim, unfinished, only),
        })
        return rows.parse(item)
      } catch (error) {
        if (error instanceof ConditionFailed) return undefined
        throw error
      }
    },

    /**
     * Extends the lease.
     * @throws LeaseLost
     */
    renew(
      ctx: Store,
      held: Held,
      { forMs = leaseMs, now = Date.now() }: { forMs?: number; now?: number } = {},
    ): Promise<void> {
      const until = now + forMs
      return save(ctx, held, { set: { ...fence.renewed(until), ...due.at(id(held), until) } })
    },

    /**
     * Stops, and requests the next claim after a delay.
     * @param change attributes to write in the same update, and the current time in epoch milliseconds
     * @throws LeaseLost
     */
    async later(
      ctx: Store & { queues: Queues<Queue> },
      held: Held,
      seconds: number,
      { set, remove = [], now = Date.now() }: Change & { now?: number } = {},
    ): Promise<void> {
      const at = now + seconds * 1000
      const isDelayed = seconds <= longestDelay
      await save(ctx, held, {
        set: { ...set, ...fence.released.set, ...due.at(id(held), isDelayed ? at + lostMs : at) },
        remove: [...remove, ...(fence.released.remove ?? [])],
      })
      const next = message(held)
      if (isDelayed && next !== undefined)
        await ctx.queues.send(topic, next, { delaySeconds: seconds })
    },

    /**
     * Finishes the work, in one transaction with other parts.
     * @returns undefined if the work is finished; otherwise the refused parts, without a write
     * @throws LeaseLost
     */
    async finish<const P extends Parts = Record<never, never>>(
      { table }: Store,
      held: Held,
      change: Change,
      also?: P,
    ): Promise<Refusals<P> | undefined> {
      if (also === undefined) {
        await save({ table }, held, withoutIndex(change))
        return undefined
      }
      const parts: Parts = mergeParts({ work: finished(held, change) }, also)
      const refusals = await tryCommit(table, parts)
      if (refusals?.['work'] !== undefined) throw new LeaseLost(id(held))
      return refusals as Refusals<P> | undefined
    },

    /** Returns the write that finishes the work by deleting its row, for a transaction. */
    deleted: (held: Held) => ({ delete: key(held), ...still(held) }),

    /**
     * Returns the data that a tick needs to send the message of a due row, for partitions with several kinds of work.
     */
    dueOf,

    /**
     * Requests the next claim of each row that is due: its time has come, its holder was interrupted, or its message
     * was lost or never sent.
     * @returns the number of messages sent
     */
    tick(
      ctx: { table: Pick<Table, 'query' | 'update'>; queues: Queues<Queue> },
      now = Date.now(),
    ): Promise<number> {
      const { partitions } = due
      const { select, resendMs } = options
      return sendDue(ctx, {
        topic,
        partitions,
        now,
        ...(select && { select }),
        due: dueOf,
        resendMs,
      })
    },
  }

  function dueOf(item: Item) {
    const row = rows.parse(item)
    const next = message(row)
    return next && { message: next, positionAt: (at: number) => due.at(id(row), at).gsi1sk }
  }
}

interface Store {
  table: Pick<Table, 'update' | 'transact'>
}

const indexKeys = ['gsi1pk', 'gsi1sk']

function withoutIndex({ set, remove = [] }: Change): Change {
  return { ...(set && { set }), remove: [...remove, ...indexKeys] }
}

/** A finished row has left the index. */
const unfinished = { if: 'attribute_exists(#gsi1pk)' }

function and(...conditions: (Condition | undefined)[]) {
  return {
    if: conditions.flatMap((one) => (one?.if === undefined ? [] : [one.if])).join(' AND '),
    values: Object.assign({}, ...conditions.map((one) => one?.values)) as Record<string, unknown>,
  }
}
