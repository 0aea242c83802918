import { agentAlive, agentKey, type AgentRef } from '#shared/agents/record/agent.ts'
import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import { findWalletOf } from '#shared/money/wallets/find.ts'
import { tokenDomain } from '#shared/money/x402/token-domain.ts'
import { amountWithin, mandateRequired } from '#shared/permits/mandates/check.ts'
import { capReached, holdParts, throwExceeded } from '#shared/permits/mandates/hold.ts'
import { type Mandate, mandateIn, mandateKey } from '#shared/permits/mandates/mandate.ts'
import { randomHex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import type { PayContext } from './context.ts'
import type { Offer } from './offer.ts'
import { type AgentPayment, agentPaymentKey, maxValidity, readAgentPayment } from './payment.ts'
import { agentPaymentRows, paymentRequestRows, paymentsDue } from './rows.ts'

/** The time until the tick checks a payment whose process was killed, in milliseconds. */
const firstCheckMs = 60_000

/** The retention of an Idempotency-Key in seconds. */
const keySeconds = 86_400

interface NewHold {
  agent: AgentRef
  host: string
  offer: Offer
  demandHash: string
  chain: UsdcChain
  approvalId: string | null
  /** The agent's Idempotency-Key and the hash of its request. */
  key: { hash: string; request: string } | undefined
}

/**
 * Stores a payment and counts its amount in one transaction. The amount counts until the chain has decided the payment.
 * With an Idempotency-Key that is already stored, returns the payment of its first request.
 * @param check throws if the current mandate refuses the payment; called again if the mandate changes in the meantime
 * @throws PlatformError 401 for a deleted agent, 402 MANDATE_REQUIRED, MANDATE_EXCEEDED, 409 WALLET_REQUIRED, 429
 * PAYMENTS_CAP_REACHED, and the errors of `check`
 */
export async function holdPayment(
  ctx: PayContext,
  { agent, host, offer, demandHash, chain, approvalId, key }: NewHold,
  check: (mandate: Mandate) => void,
): Promise<AgentPayment> {
  const { table, capUsd, clock = Date.now } = ctx
  const { agentId } = agent
  const wallet = await findWalletOf(ctx, { agentId })
  if (wallet === undefined)
    throw new PlatformError('conflict', 'The agent has no wallet: create one and fund it', {
      code: 'WALLET_REQUIRED',
    })
  const { chainId, token, rpc } = chain
  const domain = await tokenDomain(rpc, `eip155:${chainId}`, token)
  return retryOptimistically(async () => {
    const mandate = mandateIn(await table.get(mandateKey(agent)))
    if (mandate === undefined) throw mandateRequired()
    check(mandate)
    const now = clock()
    const at = isoOf(now)
    const paymentId = newId(agentPaymentRows.id, newSeed(now))
    const microUsd = amountWithin(mandate, offer)
    const payment: AgentPayment = {
      paymentId,
      agentId,
      userId: agent.userId,
      at,
      host,
      state: 'held',
      microUsd,
      isCapped: capUsd !== undefined,
      chainId,
      token,
      domain,
      from: wallet.address,
      payee: offer.payee,
      nonce: `0x${randomHex(32)}`,
      validBefore: epochSeconds(now) + Math.min(offer.seconds, maxValidity),
      envelope: JSON.stringify(offer.envelope),
      ...(key && { request: key.request }),
      approvalId,
      demandHash,
      txHash: null,
      attempts: 0,
    }
    const parts = {
      payment: {
        put: {
          ...agentPaymentRows.attributes(payment, paymentsDue.at(paymentId, now + firstCheckMs)),
          ...agentPaymentKey(payment),
        },
        ...absent(),
      },
      request: key && {
        put: paymentRequestRows.put(
          { agentId, hash: key.hash },
          { paymentId, expiresAt: epochSeconds(now) + keySeconds },
        ),
        ...absent(),
      },
      ...holdParts({ ...agent, microUsd, at }, mandate, capUsd),
      agent: { check: agentKey(agent), ...agentAlive },
    }
    const refusals = await tryCommit(table, parts)
    if (refusals === undefined) return payment
    if (refusals.agent !== undefined) throw new PlatformError('unauthorized', 'Unauthorized')
    if (refusals.request?.item !== undefined) {
      const { paymentId: known } = paymentRequestRows.parse(refusals.request.item)
      const first = await readAgentPayment(table, { agentId, paymentId: known })
      if (first !== undefined) return first
    }
    if (refusals.mandate !== undefined) return overtaken
    if (refusals.use !== undefined) throwExceeded(mandate, offer, { row: refusals.use.item, at })
    if (refusals.cap !== undefined) throw capReached()
    return overtaken
  })
}

/** Returns the payment of an Idempotency-Key; undefined if it is new. */
export async function findRequested(
  { table }: Pick<PayContext, 'table'>,
  { agentId }: AgentRef,
  hash: string,
): Promise<AgentPayment | undefined> {
  const row = await paymentRequestRows.find(table, { agentId, hash })
  return row && readAgentPayment(table, { agentId, paymentId: row.paymentId })
}
