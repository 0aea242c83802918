import { type Agent, agentKey, toAgent } from '#shared/agents/record/agent.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Item, Key, Table, Write } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type AskedPayment, type MandateUse, requireAmount } from './check.ts'
import { type Mandate, mandateIn, mandateKey, microOf } from './mandate.ts'
import { mandateUseRows, paymentCapRows } from './use/rows.ts'

/** Longer than any hold stays open, in seconds. */
const retention = 400 * 86_400

/** An amount that counts against an agent's mandate and against the ceiling of all agents. */
export interface Hold {
  userId: string | null
  agentId: string
  /** Millionths of a US dollar. */
  microUsd: number
  /** ISO 8601. The amount counts on this day, even if it is settled on a later one. */
  at: string
}

/** Reads the use of a mandate on the day and in the month of a time. @param at ISO 8601 */
export async function readUse(
  table: Pick<Table, 'get'>,
  { agentId, at }: Pick<Hold, 'agentId' | 'at'>,
): Promise<MandateUse> {
  return useIn(await table.get(useKey({ agentId, at })), at)
}

/**
 * Reads an agent, its mandate, and the use of the mandate on the day and in the month of a time, in one request.
 * @param at ISO 8601
 */
export async function readPayer(
  table: Pick<Table, 'getMany'>,
  { userId, agentId, at }: Omit<Hold, 'microUsd'>,
): Promise<{ agent: Agent | undefined; mandate: Mandate | undefined; use: MandateUse }> {
  const ref = { userId, agentId }
  const [agent, mandate, use] = await table.getMany([
    agentKey(ref),
    mandateKey(ref),
    useKey({ agentId, at }),
  ])
  return { agent: agent && toAgent(agent), mandate: mandateIn(mandate), use: useIn(use, at) }
}

/**
 * Returns the writes that hold an amount, as parts of the transaction that stores the payment. Each is refused if its
 * limit is exceeded at that moment, so no order of transactions exceeds it.
 * @param hold an amount from `amountWithin`
 * @param capUsd AGENT_PAYMENTS_CAP_USD_PER_DAY; undefined for no ceiling
 * @throws PlatformError 429 PAYMENTS_CAP_REACHED for an amount above the whole ceiling
 */
export function holdParts(
  hold: Hold,
  mandate: Mandate,
  capUsd: number | undefined,
): Record<'mandate' | 'use', Write> & { cap: Write | undefined } {
  const { microUsd, at } = hold
  const day = dayAttribute(at)
  const expiresAt = epochSeconds(Date.parse(at)) + retention
  const cap = capUsd === undefined ? undefined : Math.round(capUsd * 1_000_000)
  if (cap !== undefined && microUsd > cap) throw capReached()
  return {
    mandate: {
      check: mandateKey(hold),
      if: '#revision = :revision',
      values: { revision: mandate.revision },
    },
    use: {
      update: useKey(hold),
      set: { expiresAt },
      add: { total: microUsd, [day]: microUsd },
      if: `${below('total', 'roomOfMonth')} AND ${below(day, 'roomOfDay')}`,
      values: {
        roomOfMonth: Number(microOf(mandate.perMonthUsd)) - microUsd,
        roomOfDay: Number(microOf(mandate.perDayUsd)) - microUsd,
      },
    },
    cap:
      cap === undefined
        ? undefined
        : {
            update: capKey(at),
            set: { expiresAt },
            add: { total: microUsd },
            if: below('total', 'room'),
            values: { room: cap - microUsd },
          },
  }
}

/** Returns the writes that return a held amount, for the transaction that ends its payment. */
export function returnParts(
  hold: Hold,
  isCapped: boolean,
): Record<'use' | 'cap', Write | undefined> {
  const { microUsd, at } = hold
  const day = dayAttribute(at)
  return {
    use: { update: useKey(hold), add: { total: -microUsd, [day]: -microUsd } },
    cap: isCapped ? { update: capKey(at), add: { total: -microUsd } } : undefined,
  }
}

/**
 * Throws the error of a hold whose use was refused, from the current row of the use.
 * @throws PlatformError 402 MANDATE_EXCEEDED
 */
export function throwExceeded(
  mandate: Mandate,
  asked: Pick<AskedPayment, 'microUsd'>,
  { row, at }: { row: Item | undefined; at: string },
): never {
  requireAmount(mandate, asked, useIn(row, at))
  throw new Error('a hold within the mandate was refused')
}

/** Returns the error 429 for a payment above the ceiling of all agents. */
export function capReached(): PlatformError {
  return new PlatformError(
    'too-many-requests',
    'All agents together have reached the operator’s limit of payments per day; it resets at 00:00 UTC',
    { code: 'PAYMENTS_CAP_REACHED' },
  )
}

function below(attribute: string, room: string): string {
  return `(attribute_not_exists(#${attribute}) OR #${attribute} <= :${room})`
}

function useKey({ agentId, at }: Pick<Hold, 'agentId' | 'at'>): Key {
  return mandateUseRows.key({ agentId, month: at.slice(0, 7) })
}

function capKey(at: string): Key {
  return paymentCapRows.key({ day: at.slice(0, 10) })
}

function dayAttribute(at: string): string {
  return `day_${at.slice(8, 10)}`
}

function useIn(row: Item | undefined, at: string): MandateUse {
  const use = row === undefined ? undefined : mandateUseRows.parse(row)
  return { day: BigInt(use?.[dayAttribute(at)] ?? 0), month: BigInt(use?.total ?? 0) }
}
