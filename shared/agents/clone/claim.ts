import { PlatformError } from '../../platform/errors.ts'
import type { Item, Key, Table, Write } from '../../platform/table/port.ts'
import { ConditionFailed } from '../../platform/table/port.ts'
import type { AgentRef } from '../agent.ts'
import type { CloneRequest } from './schema.ts'

/** A payment that was taken, and the clone that it paid for. */
export interface Claim extends AgentRef {
  /** What was asked for: a retry that asks for something else is another clone. */
  order: string
  /** Everything was copied: the payment is used up. */
  done?: true
}

function claimKey(transactionHash: string): Key {
  return { pk: `payment#${transactionHash.toLowerCase()}`, sk: 'clone' }
}

export function orderOf({ parentAgentId, name, specialization, generation }: CloneRequest): string {
  return JSON.stringify([parentAgentId, name, specialization, generation])
}

/** The write that takes a payment, for the transaction that makes what it pays for. */
export function claimWrite(transactionHash: string, claim: Claim): Write {
  return { put: { ...claimKey(transactionHash), ...claim }, if: 'attribute_not_exists(pk)' }
}

/**
 * The clone that was begun with this payment by the same order and is not finished; undefined for a payment that is
 * fresh.
 * @throws PlatformError 409 PAYMENT_USED
 */
export async function openClaim(
  table: Table,
  request: CloneRequest,
  owner: string | null,
): Promise<Claim | undefined> {
  const row = await table.get(claimKey(request.paymentProof.transactionHash))
  if (row === undefined) return undefined
  const claim = toClaim(row)
  if (claim.done || claim.userId !== owner || claim.order !== orderOf(request)) throw paymentUsed()
  return claim
}

/** Uses the payment up. Of two that finish the same clone, the second finds it done. @throws PlatformError 409 */
export async function closeClaim(table: Table, transactionHash: string): Promise<void> {
  try {
    await table.update(claimKey(transactionHash), {
      set: { done: true },
      if: 'attribute_not_exists(#done)',
    })
  } catch (error) {
    if (error instanceof ConditionFailed) throw paymentUsed()
    throw error
  }
}

export function paymentUsed(): PlatformError {
  return new PlatformError('conflict', 'The payment was used before', { code: 'PAYMENT_USED' })
}

function toClaim({ agentId, userId, order, done }: Item): Claim {
  return {
    agentId: String(agentId),
    userId: userId as string | null,
    order: String(order),
    ...(done === true && { done }),
  }
}
