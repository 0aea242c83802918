import type { Hex } from 'viem'
import type { Agent, AgentRef } from '#shared/agents/record/agent.ts'
import { requireUsdc } from '#shared/money/evm/usdc.ts'
import type { PendingApproval } from '#shared/permits/approvals/park.ts'
import {
  allowsPayee,
  mandateRequired,
  payeeRefused,
  requireAmount,
  requireHost,
} from '#shared/permits/mandates/check.ts'
import { readPayer } from '#shared/permits/mandates/hold.ts'
import { type Mandate, microOf } from '#shared/permits/mandates/mandate.ts'
import { permitted, policyDenied } from '#shared/permits/policy/ask.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { HttpAnswer } from '#shared/platform/http-client/client.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { PayContext } from './context.ts'
import { findRequested, holdPayment } from './hold.ts'
import { cheapest, type Offer, offersIn, type PaymentEffect } from './offer.ts'
import { parkPayment } from './parked.ts'
import type { PaidRequest } from './request.ts'
import { type PaidAnswer, sendPayment } from './send-payment.ts'
import { refusalOf, sendToHost } from './send.ts'

/** The maximum size of a 402's body in bytes. */
const maxDemand = 65_536

/** A payment that a person has approved. */
export interface ApprovedPayment {
  approvalId: string
  payee: string
  /** Millionths of a US dollar: the price is at most this. */
  microUsd: bigint
  /** Called once, just before the first byte is sent to the host. */
  sending(): Promise<void>
}

interface Payer {
  agent: Agent
  /** The mandate at the time of the request; undefined without one. */
  mandate: Mandate | undefined
  /** Absent if no person was asked. */
  approved?: ApprovedPayment
}

export type PayOutcome =
  | ({ kind: 'answer' } & (PaidAnswer | { answer: HttpAnswer }))
  | { kind: 'pending'; pending: PendingApproval }

/**
 * Sends an agent's request to a host. If the host asks for a payment that the mandate and the policy allow, holds the
 * amount, has it signed, and sends the request again with the payment. The authorization of a payment is signed once, so
 * it is paid at most once, even if a process is killed or the request is repeated with its Idempotency-Key.
 * @returns the host's answer, also a redirect and a 402 that the platform cannot pay; or the approval that the payment
 * waits for
 * @throws PlatformError 402 MANDATE_REQUIRED, MANDATE_EXCEEDED, 403 MANDATE_REFUSED, POLICY_DENIED, PAYMENT_HOST_REFUSED,
 * 409 WALLET_REQUIRED, IDEMPOTENCY_KEY_REUSED, PAYMENT_EXPIRED, 429 PAYMENTS_CAP_REACHED, 502, 503, 504
 */
export async function pay(
  ctx: PayContext,
  { agent, mandate, approved }: Payer,
  request: PaidRequest,
): Promise<PayOutcome> {
  const { clock = Date.now } = ctx
  const ref = { agentId: agent.id, userId: agent.userId }
  if (mandate === undefined) throw mandateRequired()
  requireHost(mandate, request.host, clock())
  const chain = requireUsdc(ctx.chain, 'Payments of agents')
  const key = await keyOf(request)
  const known = key && (await findRequested(ctx, ref, key.hash))
  if (key !== undefined && known !== undefined) {
    if (known.request !== key.request) throw keyReused()
    await approved?.sending()
    return { kind: 'answer', ...(await sendPayment(ctx, known, request)) }
  }
  await approved?.sending()
  const first = await sendToHost(ctx, request)
  if (first.status !== 402) return { kind: 'answer', answer: first }
  const demand = await demandIn(first)
  const offers = offersIn(demand, chain)
  if (offers.length === 0) return { kind: 'answer', answer: demand.answer }
  const payer = await readPayerNow(ctx, { ref, approved })
  requireHost(payer.mandate, request.host, clock())
  const offer = cheapest(
    offers.filter(({ payee }) => isPayee({ mandate: payer.mandate, approved }, payee)),
  )
  if (offer === undefined) throw payeeRefused()
  requireAmount(payer.mandate, offer, payer.use)
  const { askAboveUsd } = payer.mandate
  if (approved === undefined) {
    const pending = await parkIfAsked(ctx, { payer, offer, request })
    if (pending !== undefined) return { kind: 'pending', pending }
  } else if (offer.microUsd > approved.microUsd) {
    throw new PlatformError('conflict', 'The host asks for more than was approved', {
      code: 'PRICE_CHANGED',
    })
  }
  const demandHash = await sha256Hex(demand.text)
  const approvalId = approved?.approvalId ?? null
  const hold = { agent: ref, host: request.host, offer, demandHash, chain, approvalId, key }
  const payment = await holdPayment(ctx, hold, (current) => {
    requireHost(current, request.host, clock())
    if (!allowsPayee(current, offer.payee)) throw payeeRefused()
    if (approved === undefined && current.askAboveUsd !== askAboveUsd)
      throw new PlatformError('conflict', 'The mandate has changed: try again')
  })
  // Another request with the same Idempotency-Key was first.
  if (key !== undefined && payment.request !== key.request) throw keyReused()
  return { kind: 'answer', ...(await sendPayment(ctx, payment, request)) }
}

/**
 * Decides a payment by the policy and the mandate's `askAboveUsd`. Parks it if a person must be asked.
 * @returns undefined if the payment is allowed
 * @throws PlatformError 403 POLICY_DENIED; the errors of `park`
 */
async function parkIfAsked(
  ctx: PayContext,
  {
    payer: { agent, mandate },
    offer: { payee, microUsd },
    request,
  }: { payer: { agent: Agent; mandate: Mandate }; offer: Offer; request: PaidRequest },
): Promise<PendingApproval | undefined> {
  const { clock = Date.now } = ctx
  const { host } = request
  const { askAboveUsd } = mandate
  const effect: PaymentEffect = { action: 'payment.send', target: { host, payee }, microUsd }
  const asksAmount = askAboveUsd !== null && microUsd > microOf(askAboveUsd)
  const decision = await permitted(ctx, { agent, effect, asksAmount, now: clock() })
  if (decision.then === 'deny') throw policyDenied(effect, decision)
  if (decision.then === 'allow') return undefined
  return parkPayment(ctx, { agent, effect, request, uncount: decision.uncount })
}

/**
 * Reads the agent, its mandate and the use of the mandate again, because a host can delay its demand for minutes. What
 * the owner has changed or stopped in the meantime applies to the payment.
 * @throws PlatformError 401 for an agent that was deleted, or stopped without an approval, 402 MANDATE_REQUIRED
 */
async function readPayerNow(
  { table, clock = Date.now }: PayContext,
  { ref, approved }: { ref: AgentRef; approved: ApprovedPayment | undefined },
) {
  const { agent, mandate, use } = await readPayer(table, { ...ref, at: isoOf(clock()) })
  if (agent === undefined || agent.deleting) throw new PlatformError('unauthorized', 'Unauthorized')
  if (approved === undefined && agent.desired !== 'running')
    throw new PlatformError('unauthorized', 'The agent was stopped')
  if (mandate === undefined) throw mandateRequired()
  return { agent, mandate, use }
}

function isPayee(
  { mandate, approved }: { mandate: Mandate; approved: ApprovedPayment | undefined },
  payee: Hex,
): boolean {
  if (approved !== undefined && approved.payee.toLowerCase() !== payee.toLowerCase()) return false
  return allowsPayee(mandate, payee)
}

/**
 * Reads the demand of a 402. The returned `answer` has the whole body.
 * @throws PlatformError 502 for a larger or interrupted body
 */
async function demandIn(
  answer: HttpAnswer,
): Promise<{ header: string | undefined; body: Buffer; text: string; answer: HttpAnswer }> {
  const body = await readAtMost(answer, maxDemand)
  const named = answer.headers['payment-required']
  const header = typeof named === 'string' ? named : undefined
  const text = header ?? body.toString()
  return { header, body, text, answer: { ...answer, arrived: body.length, body: chunksOf(body) } }
}

async function readAtMost(answer: HttpAnswer, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer.body) {
      size += chunk.length
      if (size > maxBytes)
        throw new HttpFailure('too-large', `its demand has more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    answer.close()
    throw error instanceof HttpFailure ? refusalOf(error) : error
  }
}

async function* chunksOf(body: Buffer): AsyncGenerator<Buffer> {
  if (body.length > 0) yield body
}

/** Returns the agent's Idempotency-Key, and the hash of the request that it belongs to. */
async function keyOf({ method, host, path, headers, body }: PaidRequest) {
  const key = headers.get('idempotency-key')
  if (key === null) return undefined
  const bodyHash = body && (await sha256Hex(new Uint8Array(body)))
  return {
    hash: await sha256Hex(key),
    request: await sha256Hex(JSON.stringify([method, host, path, bodyHash])),
  }
}

function keyReused(): PlatformError {
  return new PlatformError('conflict', 'The Idempotency-Key belongs to another request', {
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
}
