import { limitReached, PlatformError } from '#shared/platform/errors.ts'
import type { Parts, Refusals } from '#shared/platform/table/commit.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { Agent } from './agent.ts'
import { listAgents } from './list.ts'
import { startsRows } from './rows.ts'
import { placeOf } from './watch/place.ts'

/** Returns whether an agent counts toward its owner's limit of awake agents: it runs or should run. */
export function isAwake({ desired, deleting }: Pick<Agent, 'desired' | 'deleting'>): boolean {
  return desired === 'running' && !deleting
}

interface AwakeQuery {
  userId: string
  agentId: string
  limit: number
  forStranger?: true | undefined
}

/** The result of the check for one more awake agent. */
export interface AwakeRoom {
  /**
   * A part of the transaction that starts the agent. It is refused if another start was first or the limit is reached.
   */
  write: Write
  /** The error if the limit is reached. */
  full?: PlatformError
}

/**
 * Checks whether one more of an owner's agents can be awake. Each start reads one row before it reads the agents, and
 * writes that row in its transaction. If two starts are concurrent, the second write fails, and the check is repeated.
 * A stop does not write the row. Agents are counted at each check, because a stored counter could become wrong.
 * @param query.agentId the agent to start, which is not counted
 * @param query.limit the maximum number of the owner's awake agents
 * @param query.forStranger true for a clone that a stranger paid for. Such awake clones use at most half, rounded up,
 * of the places that the owner's own agents leave free, and never the last free place, as in `ownerForStranger`
 */
export async function awakeRoom(
  table: Table,
  { userId, agentId, limit, forStranger }: AwakeQuery,
): Promise<AwakeRoom> {
  const store = userStore(table, userId)
  const sk = startsRows.sk({})
  const row = await store.get(sk)
  const agents = await listAgents({ table }, { userId, consistent: true })
  const awake = agents.filter((agent) => isAwake(agent) && agent.id !== agentId)
  const clones = awake.filter(({ lineage }) => lineage?.byStranger === true).length
  if (awake.length >= (forStranger ? Math.min(limit - 1, limit - clones) : limit)) {
    // A condition that is always false.
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

/** @throws PlatformError 402 AWAKE_LIMIT_REACHED if a resting agent cannot become awake */
export async function requireAwakeRoom(
  { table }: { table: Table },
  { agent, limit }: { agent: Agent; limit: number | undefined },
): Promise<void> {
  if (limit === undefined || agent.userId === null || isAwake(agent)) return
  const { full } = await awakeRoom(table, { userId: agent.userId, agentId: agent.id, limit })
  if (full !== undefined) throw full
}

/**
 * Commits a new agent that should be awake, and retries if another start came first.
 * @param limit the maximum number of the owner's awake agents; undefined for no limit
 * @param commit commits with `write` of the room as the part named `room`; the room is undefined without a limit
 * @returns the refusals of the last call, with `room` only if the limit is reached
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
  return retryOptimistically(async () => {
    const room = await awakeRoom(table, { userId, agentId, limit })
    const refusals = await commit(room)
    const onlyRoom =
      refusals !== undefined && Object.keys(refusals).every((part) => part === 'room')
    return onlyRoom && room.full === undefined ? overtaken : refusals
  })
}

/** Returns a new agent as asleep, because the limit is reached. The first request wakes it. */
export function createdAsleep(agent: Agent): Agent {
  const text = 'It sleeps until the next request, because the plan allows no more awake agents'
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

/** Returns whether an error means that too many of an owner's agents are awake. */
export function isAwakeLimit(error: unknown): boolean {
  return error instanceof PlatformError && error.code === code
}

/** Returns the limit in such an error. */
export function awakeLimitOf(error: unknown): number | undefined {
  return error instanceof PlatformError && error.code === code
    ? Number(error.details?.limit)
    : undefined
}

/**
 * The maximum number of agents that an error names. After a downgrade many agents can be awake, and names can be long.
 */
const maxNamed = 5

function awakeLimitReached(awake: readonly Agent[], limit: number): PlatformError {
  const names = awake.slice(0, maxNamed).map(({ name }) => name)
  const more = awake.length - names.length
  const all = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const limitText = limit === 1 ? 'one awake agent' : `${limit} awake agents`
  return limitReached(
    code,
    `The plan allows ${limitText}, and these are awake: ${all}. Stop one, or let it sleep`,
    {
      kind: 'payment-required',
      current: awake.length,
      limit,
      details: { awake: awake.map(({ id, name }) => ({ id, name })) },
    },
  )
}
