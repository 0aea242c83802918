import { decodeTime } from 'ulid'
import type * as z from 'zod'
import { amountOf, format } from '#shared/money/amounts/amount.ts'
import { idPattern } from '#shared/platform/ids.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { agentPaymentRows } from './rows.ts'
import type { PaymentView } from './schema.ts'

export type AgentPayment = z.output<ReturnType<(typeof agentPaymentRows)['declared']['schema']>>

/** The ids that identify a payment. */
export type PaymentRef = Pick<AgentPayment, 'agentId' | 'paymentId'>

/** The longest validity of an authorization in seconds: contract.md 17. */
export const maxValidity = 600

const form = new RegExp(`^${idPattern(agentPaymentRows.id)}$`)

/** Returns the key of a payment. Its id contains its time, and so its month. */
export function agentPaymentKey({ agentId, paymentId }: PaymentRef): Key {
  if (!form.test(paymentId)) throw new TypeError('not the id of a payment')
  const ulid = paymentId.slice(agentPaymentRows.id.length + 1).toUpperCase()
  return agentPaymentRows.key({
    agentId,
    month: isoOf(decodeTime(ulid)).slice(0, 7),
    paymentId,
  })
}

/** Returns the partition of an agent's payments, for pages of a list. */
export function paymentsOf(table: Pick<Table, 'query'>, { agentId }: Pick<PaymentRef, 'agentId'>) {
  const pk = agentPaymentRows.pk({ agentId })
  return { pk, query: (query: object) => table.query({ ...query, pk }) }
}

export async function readAgentPayment(
  table: Pick<Table, 'get'>,
  ref: PaymentRef,
): Promise<AgentPayment | undefined> {
  const row = await table.get(agentPaymentKey(ref))
  return row && agentPaymentRows.parse(row)
}

export function paymentView({
  paymentId: id,
  at,
  host,
  payee,
  microUsd,
  state,
  txHash,
  approvalId,
}: AgentPayment): PaymentView {
  const usd = format(amountOf('USD', BigInt(microUsd)), 6)
  return { id, at, host, payee, usd, state, txHash, approvalId }
}
