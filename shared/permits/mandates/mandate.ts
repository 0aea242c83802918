import type * as z from 'zod'
import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { parse } from '#shared/money/amounts/amount.ts'
import type { Item, Key } from '#shared/platform/table/port.ts'
import { mandateRows } from './rows.ts'

export type Mandate = z.output<ReturnType<(typeof mandateRows)['declared']['schema']>>

/** Returns the key of an agent's mandate, to read it together with the agent's key. */
export function mandateKey({ userId, agentId }: AgentRef): Key {
  return mandateRows.key({ userId: ownerOf({ userId }), agentId })
}

/** Parses the mandate of a row; undefined without a row. */
export function mandateIn(row: Item | undefined): Mandate | undefined {
  return row && mandateRows.parse(row)
}

/** Returns an amount in millionths of a US dollar. @param usd a decimal string */
export function microOf(usd: string): bigint {
  return parse('USD', usd).minor
}
