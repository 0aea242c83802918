import { PlatformError } from '../platform/errors.ts'
import type { Parts, Refusals } from '../platform/table/commit.ts'
import type { Table, Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { Agent } from './agent.ts'
import { listAgents } from './list.ts'
import { startsRows } from './rows.ts'
import { placeOf } from './watch/place.ts'

/** Whether an agent takes one of the places that its owner's plan has for agents awake at once: it runs, or is to run. */
export function isAwake({ desired, deleting }: Pick<Agent, 'desired' | 'deleting'>): boolean {
  return desired === 'running' && !deleting
}

/** Whether the rows have room for one more agent that is awake. */
export interface AwakeRoom {
  /**
   * Goes into the transaction that starts the agent. It refuses the transaction where another start came first, and always
   * where there is no room.
   */
  write: Write
  /** The refusal, where there is no room. */
  full?: PlatformError
}

/**
 * Looks whether one more of an owner's agents may be awake. Each start reads one row before it reads the agents, and writes
 * that row with its transaction: of two starts at once, the write of the second is refused, and it looks again. A stop
 * does not write the row. No count is kept, so none can come to differ from the agents' own rows.
 * @param query.agentId the agent that is to be awake, which is not counted
 * @param query.limit how many of the owner's agents may be awake
 */
export async function awakeRoom(
  table: Table,
  { userId, agentId, limit }: { userId: string; agentId: string; limit: number },
): Promise<AwakeRoom> {
  const store = userStore(table, userId)
  const sk = startsRows.sk({})
  const row = await store.get(sk)
  const agents = await listAgents({ table }, { userId, consistent: true })
  const awake = agents.filter((agent) => isAwake(agent) && agent.id !== agentId)
  if (awake.length >= limit) {
    // True of no row.
    const never = 'attribute_exists(pk) AND attribute_not_exists(pk)'
    return { write: store.write.check(sk, { if: never }), full: awakeLimitReached(awake, limit) }
  }
  const starts = row === undefined ? 0 : startsRows.parse(row).starts
  const unchanged =
    row === undefined
      ? { if: 'attribute_not_exists(pk)' }
      : { if: '#starts = :starts', values: { starts } }
  return { write: store.write.put(sk, startsRows.attributes({ starts: starts + 1 }), unchanged) }
}

/** @throws PlatformError 402 AWAKE_LIMIT_REACHED where an agent that rests may not be awake */
export async function requireAwakeRoom(
  { table }: { table: Table },
  { agent, limit }: { agent: Agent; limit: number | undefined },
): Promise<void> {
  if (limit === undefined || agent.userId === null || isAwake(agent)) return
  const { full } = await awakeRoom(table, { userId: agent.userId, agentId: agent.id, limit })
  if (full !== undefined) throw full
}

/**
 * Has `commit` write a new agent that is to be awake, and calls it again where another start came first.
 * @param limit how many of the owner's agents may be awake; undefined where nothing bounds them
 * @param commit writes `write` of the room it is given as a part named `room`; it is given none where nothing bounds them
 * @returns the refusals of the last call; that of `room` is among them only where there is no room
 */
export async function commitAwake<R extends Refusals<Parts>>(
  table: Table,
  {
    agent: { id: agentId, userId },
    limit,
  }: { agent: Pick<Agent, 'id' | 'userId'>; limit: number | undefined },
  commit: (room: AwakeRoom | undefined) => Promise<R | undefined>,
): Promise<R | undefined> {
  if (userId === null || limit === undefined) return commit(undefined)
  for (;;) {
    const room = await awakeRoom(table, { userId, agentId, limit })
    const refusals = await commit(room)
    const overtaken =
      refusals !== undefined && Object.keys(refusals).every((part) => part === 'room')
    if (!overtaken || room.full !== undefined) return refusals
  }
}

/** The agent as one that sleeps from the beginning, as there is no room for it. The first request to it wakes it. */
export function createdAsleep(agent: Agent): Agent {
  const text = 'It sleeps until it is wanted, as the plan allows no more agents to be awake'
  const stopReason = { code: 'Asleep', exitCode: null, text, at: agent.createdAt }
  const asleep: Agent = {
    ...agent,
    status: 'stopped',
    desired: 'stopped',
    asleep: true,
    stopReason,
  }
  return { ...asleep, watched: placeOf(asleep) }
}

const code = 'AWAKE_LIMIT_REACHED'

/** Whether an error says that too many of an owner's agents are awake. */
export function isAwakeLimit(error: unknown): boolean {
  return error instanceof PlatformError && error.code === code
}

/** How many may be awake, where an error says that too many are. */
export function awakeLimitOf(error: unknown): number | undefined {
  return error instanceof PlatformError && error.code === code
    ? Number(error.details?.limit)
    : undefined
}

/** How many agents a refusal names: many may be awake where an owner went to a smaller plan, and names can be long. */
const mostNamed = 5

function awakeLimitReached(awake: readonly Agent[], limit: number): PlatformError {
  const names = awake.slice(0, mostNamed).map(({ name }) => name)
  const more = awake.length - names.length
  const all = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const most = limit === 1 ? 'One agent' : `${limit} agents`
  return new PlatformError(
    'payment-required',
    `${most} may be awake at once by the plan, and these are: ${all}. Stop one, or let it sleep`,
    {
      code,
      details: {
        current: awake.length,
        limit,
        awake: awake.map(({ id, name }) => ({ id, name })),
      },
    },
  )
}
