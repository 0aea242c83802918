import type { Table, Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { type Turn, turnRows } from './rows.ts'
import { nameOf } from './turn.ts'

/** The platform's key in W3C Trace Context's `tracestate`. Its value is the turn of a request. */
const vendor = 'agent-platform'

/** The entry of a turn whose key has spend limits. Other turns are not read before a call. */
const limitedKey = `${vendor}-key=limited`

/**
 * Returns the `tracestate` for an agent. If the agent forwards it with `traceparent`, its calls are counted in the
 * turn.
 * @param hasLimitedKey true if the turn was started by an API key with spend limits
 */
export function tracestateOf(turnId: string, hasLimitedKey = false): string {
  return `${vendor}=${nameOf(turnId)}${hasLimitedKey ? `,${limitedKey}` : ''}`
}

const entry = new RegExp(`(?:^|,)[ \\t]*${vendor}=([0-9a-z]{26})[ \\t]*(?:,|$)`)

/** The turn in the `tracestate` of a model call. */
export interface NamedTurn {
  userId: string
  agentId: string
  name: string
}

/** Returns the name of the turn in a request's `tracestate`, or undefined if it names none. */
export function turnNameIn(tracestate: string | null): string | undefined {
  return entry.exec(tracestate ?? '')?.[1]
}

/** Returns the turn that a model call names in its `tracestate`. Only agents have turns. */
export function namedTurn(
  { userId, agentId }: { userId: string; agentId: string | null },
  tracestate: string | null = null,
): NamedTurn | undefined {
  const name = turnNameIn(tracestate)
  return agentId === null || name === undefined ? undefined : { userId, agentId, name }
}

/**
 * Returns the write that adds a call's cost to its turn, for the transaction that records the call. It is rejected if
 * the turn does not belong to this user and agent, because the caller chooses the name.
 * @param microUsd null if unknown
 * @param paidMicroUsd the part that the user paid by other means: drawn credits, or own provider keys
 */
export function costWrite({
  userId,
  agentId,
  name,
  microUsd,
  paidMicroUsd = 0,
  heldMicroUsd = 0,
}: NamedTurn & {
  microUsd: number | null
  paidMicroUsd?: number
  heldMicroUsd?: number
}): Write {
  return {
    update: turnRows.key({ userId, name }),
    add: {
      ...(microUsd === null ? { unpriced: 1 } : { microUsd }),
      ...(paidMicroUsd > 0 && { paidMicroUsd }),
      ...(heldMicroUsd > 0 && { heldMicroUsd: -heldMicroUsd }),
    },
    if: '#agentId = :agentId',
    values: { agentId },
  }
}

/**
 * Returns the API key of a turn from its row, because the caller provides only the turn's name.
 * @returns undefined if the turn has no key, or does not belong to this user and agent
 */
export async function keyOfTurn(
  table: Table,
  { userId, agentId, name }: NamedTurn,
): Promise<Turn['key']> {
  const turn = await turnRows.find(table, { userId, name })
  return turn?.agentId === agentId ? turn.key : undefined
}

/**
 * Returns the API key that started a turn, with the spend limits that it had then. It reads the turn only if
 * `tracestate` says that there are any.
 * @returns undefined without limits, or if the turn does not belong to this user and agent
 */
export async function limitedKeyOfTurn(
  table: Table,
  { userId, agentId, name }: NamedTurn,
  tracestate: string,
): Promise<{ keyId: string; limits: NonNullable<Turn['keyLimits']> } | undefined> {
  if (!tracestate.split(',').some((each) => each.trim() === limitedKey)) return undefined
  const turn = await turnRows.find(table, { userId, name })
  if (turn?.agentId !== agentId || turn.key === undefined) return undefined
  const { key, keyLimits: limits } = turn
  return limits && { keyId: key.keyId, limits }
}

/**
 * Holds the highest possible cost of a call beyond the quota, in millionths of a US dollar, if its turn may draw that
 * much from the owner's credits. The settlement of the call releases the hold.
 * @returns `unlimited`, without a hold, if the turn has no limit, or if the turn does not belong to this user and
 * agent; `full` if the turn would draw too much
 */
export async function holdDraw(
  table: Table,
  { userId, agentId, name }: NamedTurn,
  microUsd: number,
): Promise<'held' | 'full' | 'unlimited'> {
  return retryOptimistically(async () => {
    const turn = await turnRows.find(table, { userId, name })
    if (turn?.agentId !== agentId || turn.mostDrawnMicroUsd === undefined) return 'unlimited'
    const { mostDrawnMicroUsd, paidMicroUsd = 0, heldMicroUsd = 0 } = turn
    if (microUsd > mostDrawnMicroUsd - paidMicroUsd - heldMicroUsd) return 'full'
    const isHeld = await tryWrite(
      table.update(turnRows.key({ userId, name }), {
        add: { heldMicroUsd: microUsd },
        if: '#paidMicroUsd = :paidMicroUsd AND #heldMicroUsd = :heldMicroUsd',
        values: { paidMicroUsd, heldMicroUsd },
      }),
    )
    return isHeld ? 'held' : overtaken
  })
}

/** Releases the hold of a call that used nothing. */
export async function releaseDraw(
  table: Table,
  { userId, name }: NamedTurn,
  microUsd: number,
): Promise<void> {
  await tryWrite(
    table.update(turnRows.key({ userId, name }), {
      add: { heldMicroUsd: -microUsd },
      if: '#heldMicroUsd >= :microUsd',
      values: { microUsd },
    }),
  )
}

/** The attribute of a call whose record waits in the queue of settlements. */
const lateCall = (eventId: string) => `late_${eventId}`

/** Notes in a turn that a call's cost is recorded later, until `noteRecorded`. */
export async function noteLate(
  table: Table,
  { userId, agentId, name }: NamedTurn,
  eventId: string,
): Promise<void> {
  await tryWrite(
    table.update(turnRows.key({ userId, name }), {
      set: { [lateCall(eventId)]: 1 },
      if: '#agentId = :agentId',
      values: { agentId },
    }),
  )
}

/** Notes in a turn that the late cost of a call is recorded. Idempotent. */
export async function noteRecorded(
  table: Table,
  { userId, name }: NamedTurn,
  eventId: string,
): Promise<void> {
  await tryWrite(
    table.update(turnRows.key({ userId, name }), {
      remove: [lateCall(eventId)],
      if: 'attribute_exists(pk)',
    }),
  )
}

/**
 * Returns a turn's cost so far without the part that its user paid by other means, in millionths of a US dollar. A call
 * of unknown cost counts as 0. `isFinal` is false while the cost of a call waits in the queue. Undefined if the turn is
 * no longer stored.
 */
export async function unpaidCost(
  table: Table,
  { userId, name }: Pick<NamedTurn, 'userId' | 'name'>,
): Promise<{ unpaid: number; isFinal: boolean } | undefined> {
  const item = await table.get(turnRows.key({ userId, name }))
  if (item === undefined) return undefined
  const { microUsd = 0, paidMicroUsd = 0 } = turnRows.parse(item)
  const isFinal = !Object.keys(item).some((attribute) => attribute.startsWith(lateCall('')))
  return { unpaid: Math.max(0, microUsd - paidMicroUsd), isFinal }
}

/** Returns a turn's cost so far in USD, or null if no call named it or a call's cost is unknown. */
export function turnCost({
  microUsd,
  unpriced = 0,
}: Pick<Turn, 'microUsd' | 'unpriced'>): number | null {
  return microUsd === undefined || unpriced > 0 ? null : microUsd / 1_000_000
}

/**
 * Returns the costs of turns by the seeds of their questions.
 * @returns one value per seed; null also for turns that have expired
 */
export async function costsOf(
  store: UserStore,
  seeds: readonly string[],
): Promise<(number | null)[]> {
  return Promise.all(
    seeds.map(async (seed) => {
      const item = await store.get(turnRows.sk({ name: seed.toLowerCase() }))
      return item === undefined ? null : turnCost(turnRows.parse(item))
    }),
  )
}
