import { authorizationTypes } from '@x402/evm'
import { hashTypedData, type Hex, serializeSignature } from 'viem'
import { findWalletOf } from '#shared/money/wallets/find.ts'
import { signHash } from '#shared/network/signer/keys/curve.ts'
import type { HasKeySeals } from '#shared/network/signer/keys/port.ts'
import { withKey } from '#shared/network/signer/keys/use.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type AgentPayment, maxValidity, type PaymentRef, readAgentPayment } from '../payment.ts'

/** The signer’s chain. A payment for another chain or token is not signed. */
interface SigningChain {
  chainId: number
  /** The USDC contract; undefined without its setting. */
  usdc: Hex | undefined
}

/**
 * Signs the authorization of a stored payment. Every value of it is in the row, and the signature is deterministic (RFC
 * 6979), so a repeated call returns the same one.
 * @throws PlatformError 404 for an unknown payment, 409 for one that has expired or was returned
 */
export async function signPayment(
  ctx: Pick<Context, 'table'> & HasKeySeals & SigningChain,
  ref: PaymentRef,
  now = Date.now(),
): Promise<{ signature: Hex }> {
  const payment = await readAgentPayment(ctx.table, ref)
  if (payment === undefined) throw notFound('Payment')
  const { agentId, userId, from, state, validBefore, at } = payment
  if (state === 'returned' || validBefore * 1000 <= now)
    throw new PlatformError('conflict', 'The payment has expired')
  const wallet = await findWalletOf(ctx, { agentId })
  if (wallet?.address !== from || wallet.userId !== userId)
    throw new Error(`payment ${ref.paymentId} is not from the agent’s wallet`)
  if (payment.chainId !== ctx.chainId || payment.token !== ctx.usdc)
    throw new Error(`payment ${ref.paymentId} is for another chain or token`)
  if (validBefore > Date.parse(at) / 1000 + maxValidity)
    throw new Error(`payment ${ref.paymentId} is valid for too long`)
  const hash = hashTypedData(authorizationOf(payment))
  const signature = await withKey(ctx, { agentId, address: from }, (key) => signHash(key, hash))
  return { signature: serializeSignature(signature) }
}

function authorizationOf({
  domain,
  chainId,
  token,
  from,
  payee,
  microUsd,
  validBefore,
  nonce,
}: AgentPayment) {
  return {
    domain: { ...domain, chainId, verifyingContract: token as Hex },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from as Hex,
      to: payee as Hex,
      value: BigInt(microUsd),
      validAfter: 0n,
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  } as const
}
