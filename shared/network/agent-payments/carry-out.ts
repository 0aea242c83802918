import type { Execution, Outcome } from '#shared/permits/approvals/work/executor.ts'
import { mandateIn, mandateKey } from '#shared/permits/mandates/mandate.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { textBeginning } from '#shared/platform/http-client/text.ts'
import type { PayContext } from './context.ts'
import { fromParked } from './parked.ts'
import { pay } from './pay.ts'

/** The timeout of both requests together in milliseconds. It is shorter than the lease of an approval. */
const totalMs = 110_000

/** The maximum size of a response for the agent, in bytes. */
const maxAnswer = 24_000

/**
 * Makes an approved payment once: to the approved host and payee, for at most the approved price, within the current
 * mandate. The approval's id is the idempotency key, unless the agent set one.
 * @throws PlatformError as `pay`
 */
export async function carryOutPayment(
  ctx: PayContext,
  { approval, request: parked, agent, sending }: Execution,
): Promise<Outcome> {
  const { id: approvalId, target, microUsd = '0' } = approval
  const request = { ...fromParked(parked), signal: AbortSignal.timeout(totalMs) }
  if (!request.headers.has('idempotency-key')) request.headers.set('idempotency-key', approvalId)
  const { id: agentId, userId } = agent
  const mandate = mandateIn(await ctx.table.get(mandateKey({ agentId, userId })))
  const approved = {
    approvalId,
    payee: target['payee'] ?? '',
    microUsd: BigInt(microUsd),
    sending,
  }
  try {
    const outcome = await pay(ctx, { agent, mandate, approved }, request)
    if (outcome.kind === 'pending') throw new Error('an approved payment was parked')
    const { answer } = outcome
    const { text: body } = await textBeginning(answer, maxAnswer)
    const { status } = answer
    if (!('paymentId' in outcome)) return { state: 'done', result: { status, body } }
    const { paymentId } = outcome
    return { state: 'done', result: { status, body, paymentId } }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.details['paymentId'] === undefined) throw error
    const id = String(error.details['paymentId'])
    return { state: 'failed', error: `${error.message}. The payment ${id} may have been made` }
  }
}
