import { expect, vi } from 'vitest'
import { agentPaymentRows } from '#shared/network/agent-payments/rows.ts'
import { approvalRows } from '#shared/permits/approvals/rows.ts'
import { enginesOf } from '../../support/stack/engines.ts'
import type { OwnStack } from '../../support/stack/stack-process.ts'
import { rowsOf } from './agents.ts'

/** Longer than the lease of an approval and two rounds of the tick, on a busy machine. */
const patience = { timeout: 420_000, interval: 500 }

/** The lease of an approval in milliseconds: shared/permits/approvals/work/items.ts. */
const leaseMs = 150_000

/**
 * Waits until all approvals of a user have ended. Requests the next attempt of each one whose holder was killed, instead
 * of waiting until its lease expires.
 * @param killedAt the time of the last kill, in epoch milliseconds
 */
export async function drainApprovals(
  stack: OwnStack,
  { userId, killedAt }: { userId: string; killedAt: number },
): Promise<void> {
  const engines = enginesOf(() => stack.now().endpoints)
  const requested = new Set<string>()
  await vi.waitFor(async () => {
    const items = await rowsOf(stack, `user#${userId}`, approvalRows.prefix())
    const open = items.filter(({ state }) => state === 'approved')
    for (const item of open) {
      const { id: approvalId, attempts } = approvalRows.parse(item)
      const [due = ''] = String(item['gsi1sk']).split('#')
      const attempt = { userId, approvalId, attempt: attempts + 1 }
      const name = JSON.stringify(attempt)
      if (Date.parse(due) > killedAt + leaseMs || requested.has(name)) continue
      requested.add(name)
      await engines.sendBatch('approvals', [attempt])
    }
    expect(open).toEqual([])
  }, patience)
}

/** Waits until the chain has decided all payments of an agent, without waiting for the next check of each. */
export async function drainPayments(stack: OwnStack, agentId: string): Promise<void> {
  const engines = enginesOf(() => stack.now().endpoints)
  await vi.waitFor(
    async () => {
      const payments = await paymentsOf(stack, agentId)
      const open = payments.filter(({ state }) => state === 'held' || state === 'sent')
      for (const { paymentId, attempts } of open)
        await engines.sendBatch('agent-payments', [{ agentId, paymentId, attempt: attempts + 1 }])
      expect(open).toEqual([])
    },
    { ...patience, interval: 3000 },
  )
}

export async function paymentsOf(stack: OwnStack, agentId: string) {
  const items = await rowsOf(stack, agentPaymentRows.pk({ agentId }), agentPaymentRows.prefix())
  return items.map(agentPaymentRows.parse)
}
