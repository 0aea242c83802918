import { createHash } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { HttpAnswer } from '#shared/platform/http-client/client.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import type { PayContext } from './context.ts'
import { type AgentPayment, agentPaymentKey, readAgentPayment } from './payment.ts'
import type { PaidRequest } from './request.ts'
import { sendToHost } from './send.ts'
import { paymentChecks } from './topic.ts'

export interface PaidAnswer {
  /** The end of its body waits until the answer is recorded. */
  answer: HttpAnswer
  paymentId: string
}

/**
 * Has a payment signed and sends the request with it. Stores the state `sent` first, so that a returned payment is
 * never sent.
 * @throws PlatformError 409 PAYMENT_EXPIRED; the errors of the host with the id of the payment, which may have been taken
 */
export async function sendPayment(
  ctx: PayContext,
  payment: AgentPayment,
  request: PaidRequest,
): Promise<PaidAnswer> {
  const { paymentId } = payment
  try {
    const header = await headerOf(ctx, payment)
    await markSent(ctx, payment)
    const answer = await sendToHost(ctx, request, header)
    return { paymentId, answer: { ...answer, body: recordedBody(ctx, payment, answer) } }
  } catch (error) {
    throw error instanceof PlatformError ? withPayment(error, paymentId) : error
  }
}

/** Stores that the host may have the payment. @throws PlatformError 409 for a payment that was returned */
async function markSent({ table }: PayContext, payment: AgentPayment): Promise<void> {
  if (payment.state !== 'held') return
  const isFirst = await tryWrite(
    table.update(agentPaymentKey(payment), {
      set: { state: 'sent' },
      if: '#state = :held',
      values: { held: 'held' },
    }),
  )
  // Another request with the same Idempotency-Key may have sent it.
  if (isFirst) return
  const current = await readAgentPayment(table, payment)
  if (current === undefined || current.state === 'returned') throw expired()
}

/** Returns the header PAYMENT-SIGNATURE of a payment, which is the same for every attempt. */
async function headerOf({ signer }: PayContext, payment: AgentPayment): Promise<string> {
  const { agentId, paymentId, envelope, from, payee, microUsd, validBefore, nonce } = payment
  if (envelope === undefined) throw expired()
  const { signature } = await signer.signPayment({ agentId, paymentId })
  const authorization = {
    from,
    to: payee,
    value: String(microUsd),
    validAfter: '0',
    validBefore: String(validBefore),
    nonce,
  }
  const unsigned = JSON.parse(envelope) as Omit<PaymentPayload, 'payload'>
  const signed: PaymentPayload = { ...unsigned, payload: { signature, authorization } }
  // The encoder of @x402/core would add 64 KB of schemas to each function that pays.
  return Buffer.from(JSON.stringify(signed)).toString('base64')
}

async function* recordedBody(
  ctx: PayContext,
  payment: AgentPayment,
  answer: HttpAnswer,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let isWhole = false
  try {
    for await (const chunk of answer.body) {
      hash.update(chunk)
      yield chunk
    }
    isWhole = true
  } finally {
    answer.close()
    await record(ctx, payment, answer, isWhole ? hash.digest('hex') : null)
  }
}

/** @param bodyHash the SHA-256 of the body, or null if it was not read to its end */
async function record(
  { table, queues, log }: PayContext,
  payment: AgentPayment,
  { status, headers }: HttpAnswer,
  bodyHash: string | null,
): Promise<void> {
  const { agentId, paymentId } = payment
  try {
    const receipt = headers['payment-response']
    const receiptHash = typeof receipt === 'string' ? await sha256Hex(receipt) : null
    await table.update(agentPaymentKey(payment), {
      set: { answer: { status, receiptHash, bodyHash } },
      if: 'attribute_exists(pk)',
    })
    // The first check. If the message is lost, the tick sends it.
    await queues.send(paymentChecks, { agentId, paymentId, attempt: 1 })
  } catch (error) {
    log.warn('the answer to a payment was not recorded', { paymentId, error })
  }
}

function expired(): PlatformError {
  return new PlatformError('conflict', 'The payment has expired; a new request pays again', {
    code: 'PAYMENT_EXPIRED',
  })
}

function withPayment(error: PlatformError, paymentId: string): PlatformError {
  const { kind, message, code, details, headers, foreign } = error
  return new PlatformError(kind, message, {
    ...(code !== undefined && { code }),
    ...(foreign && { foreign }),
    details: { ...details, paymentId },
    headers: { ...headers, 'x-payment-id': paymentId },
    cause: error,
  })
}
