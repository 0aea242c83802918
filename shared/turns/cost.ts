import type { Table, Write } from '../platform/table/port.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { type Turn, turnRows } from './rows.ts'
import { nameOf } from './turn.ts'

/** The platform's own entry of W3C Trace Context's `tracestate`: which turn a request belongs to. */
const vendor = 'agent-platform'

/** What is sent to an agent beside the turn's `traceparent`; one that hands both on has its calls counted to the turn. */
export function tracestateOf(turnId: string): string {
  return `${vendor}=${nameOf(turnId)}`
}

const entry = new RegExp(`(?:^|,)[ \\t]*${vendor}=([0-9a-z]{26})[ \\t]*(?:,|$)`)

/** A turn as a call of a model names it. */
export interface TurnNamed {
  userId: string
  agentId: string
  name: string
}

/** The turn that a request says it belongs to, as its rows are named; undefined where it says none. */
export function turnNameIn(tracestate: string | null): string | undefined {
  return entry.exec(tracestate ?? '')?.[1]
}

/**
 * A call's cost on the turn that it names, for the transaction that records the call. It is refused where that is no turn of
 * this user's with this agent: who calls says which turn it is.
 * @param microUsd null where it is not known
 */
export function costWrite({
  userId,
  agentId,
  name,
  microUsd,
}: TurnNamed & { microUsd: number | null }): Write {
  return {
    update: turnRows.key({ userId, name }),
    add: microUsd === null ? { unpriced: 1 } : { microUsd },
    if: '#agentId = :agentId',
    values: { agentId },
  }
}

/**
 * The key that asked the turn which a call names, as the turn's row says: who calls says no more than which turn it is.
 * @returns undefined where no key did, and where that is no turn of this user's with this agent
 */
export async function keyOfTurn(
  table: Table,
  { userId, agentId, name }: TurnNamed,
): Promise<Turn['key']> {
  const item = await table.get(turnRows.key({ userId, name }))
  const turn = item && turnRows.parse(item)
  return turn?.agentId === agentId ? turn.key : undefined
}

/** What a turn has cost so far, in USD; null where no call named it, or not every one has a known cost. */
export function costOf({
  microUsd,
  unpriced = 0,
}: Pick<Turn, 'microUsd' | 'unpriced'>): number | null {
  return microUsd === undefined || unpriced > 0 ? null : microUsd / 1_000_000
}

/**
 * What turns have cost, by the seeds of their questions.
 * @returns a figure for each; null also of turns that are no longer kept
 */
export async function costsOf(
  store: UserStore,
  seeds: readonly string[],
): Promise<(number | null)[]> {
  return Promise.all(
    seeds.map(async (seed) => {
      const item = await store.get(turnRows.sk({ name: seed.toLowerCase() }))
      return item === undefined ? null : costOf(turnRows.parse(item))
    }),
  )
}
