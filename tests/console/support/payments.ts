import type { BrowserContext, Page } from 'playwright-core'
import { type AgentPayment, agentPaymentKey } from '#shared/network/agent-payments/payment.ts'
import { agentPaymentRows } from '#shared/network/agent-payments/rows.ts'
import { mandateUseRows } from '#shared/permits/mandates/use/rows.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { isoOf } from '#shared/platform/times.ts'
import { sharedTable } from '#tests/support/stack/platform.ts'
import { visit } from './browser.ts'
import { agentOf, subscribed } from './people.ts'

/** Opens the payments of a new agent. */
export async function openPayments(look: Parameters<typeof visit>[0] = {}) {
  const { page, context } = await visit(look)
  const person = await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  await page.goto(`/agents/${id}/payments`)
  await page.getByText('Without a mandate').waitFor()
  return { page, context, id, person }
}

/** Creates the agent's wallet. @returns its address */
export async function walletOf(context: BrowserContext, agentId: string): Promise<string> {
  const answer = await context.request.post('/api/wallet/create', { data: { agentId } })
  if (!answer.ok()) throw new Error(await answer.text())
  return ((await answer.json()) as { address: string }).address
}

/** Stores a payment that the agent made. @param time epoch milliseconds */
export async function putPayment(
  agentId: string,
  fields: Partial<AgentPayment> = {},
  time = Date.now(),
): Promise<void> {
  const payment: AgentPayment = {
    paymentId: newId(agentPaymentRows.id, newSeed(time)),
    agentId,
    userId: null,
    at: isoOf(time),
    host: 'api.example.com',
    state: 'settled',
    microUsd: 10_000,
    isCapped: false,
    chainId: 8453,
    token: `0x${'1'.repeat(40)}`,
    domain: { name: 'USD Coin', version: '2' },
    from: `0x${'2'.repeat(40)}`,
    payee: `0x${'3'.repeat(40)}`,
    nonce: `0x${'4'.repeat(64)}`,
    validBefore: time / 1000 + 600,
    approvalId: null,
    demandHash: '5'.repeat(64),
    txHash: null,
    attempts: 0,
    ...fields,
  }
  const row = agentPaymentRows.attributes(payment)
  await sharedTable().put({ ...agentPaymentKey(payment), ...row })
}

/** Stores what the agent paid today, in millionths of a US dollar. */
export async function putUse(agentId: string, microUsd: number): Promise<void> {
  const day = isoOf(Date.now())
  const use = { total: microUsd, [`day_${day.slice(8, 10)}`]: microUsd, expiresAt: 4_000_000_000 }
  await sharedTable().put(mandateUseRows.put({ agentId, month: day.slice(0, 7) }, use))
}

export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
