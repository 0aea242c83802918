import { decodePaymentSignatureHeader } from '@x402/core/http'
import { parsePaymentPayload } from '@x402/core/schemas'
import type { PaymentPayload } from '@x402/core/types'
import { authorizationTypes } from '@x402/evm'
import { type Hex, recoverTypedDataAddress } from 'viem'
import * as z from 'zod'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { wholeSignature } from '../evm/signature.ts'
import type { PaymentTerms } from './terms.ts'

/** A payment that matches the terms according to its own data. */
export interface X402Payment {
  payload: PaymentPayload
  authorization: Authorization
  signature: Hex
  /** The payer's address, in lower case. */
  payer: string
  /** Identifies the payment everywhere: chain, asset, payer and nonce. */
  id: string
  /** Epoch seconds; the payment can be settled until then. */
  validBefore: number
  /** True if the payment can no longer be settled; it may already have been settled. */
  isLate: boolean
}

/**
 * The minimum remaining validity: the settlement is the last step, and a payment with less time would expire before it.
 */
const minSeconds = 10

const hex = (bytes: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`))
const whole = z.string().regex(/^\d{1,78}$/)

/** EIP-3009, in the format of x402's scheme exact. */
const authorized = z.object({
  signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){1,8192}$/),
  authorization: z.object({
    from: hex(20),
    to: hex(20),
    value: whole,
    validAfter: whole,
    validBefore: whole,
    nonce: hex(32),
  }),
})

type Authorization = z.output<typeof authorized>['authorization']

/** The reason why a payment is rejected. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused'
}

/**
 * Reads the header PAYMENT-SIGNATURE and validates its content. The facilitator verifies signature and balance.
 * @param now epoch milliseconds
 * @throws PaymentRefused for a payment of another kind, amount, asset, chain or payee, or one that is not valid yet
 */
export function readPayment(
  header: string,
  { requirements, chainId }: PaymentTerms,
  now = Date.now(),
): X402Payment {
  const payload = payloadIn(header)
  const { accepted } = payload
  require(accepted.scheme === requirements.scheme, `its scheme must be ${requirements.scheme}`)
  require(accepted.network === requirements.network, `its network must be ${requirements.network}`)
  require(same(accepted.asset, requirements.asset), `its asset must be ${requirements.asset}`)
  require(same(accepted.payTo, requirements.payTo), `its payee must be ${requirements.payTo}`)
  require(accepted.amount === requirements.amount, `its amount must be ${requirements.amount}`)
  const read = authorized.safeParse(payload.payload)
  if (!read.success) throw new PaymentRefused('it must be an authorization of EIP-3009')
  const { authorization } = read.data
  // Facilitators and the token's contract do not accept compact signatures.
  const signature = wholeSignature(read.data.signature as Hex) ?? (read.data.signature as Hex)
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  require(same(to, requirements.payTo), `its payee must be ${requirements.payTo}`)
  require(BigInt(value) === BigInt(requirements.amount), `its value must be ${requirements.amount}`)
  const second = epochSeconds(now)
  require(BigInt(validAfter) <= BigInt(second), 'it is not valid yet')
  const payer = from.toLowerCase()
  return {
    payload: { ...payload, payload: { ...payload.payload, signature } },
    authorization,
    signature,
    payer,
    id: `eip155:${chainId}#${requirements.asset.toLowerCase()}#${payer}#${nonce.toLowerCase()}`,
    validBefore: Number(validBefore),
    isLate: BigInt(validBefore) < BigInt(second + minSeconds),
  }
}

function payloadIn(header: string): PaymentPayload {
  let decoded: unknown
  try {
    decoded = decodePaymentSignatureHeader(header)
  } catch {
    throw new PaymentRefused('it cannot be read')
  }
  const parsed = parsePaymentPayload(decoded)
  if (!parsed.success || parsed.data.x402Version !== 2)
    throw new PaymentRefused('it must be a payment of x402 version 2')
  return decoded as PaymentPayload
}

function require(holds: boolean, otherwise: string): void {
  if (!holds) throw new PaymentRefused(otherwise)
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/**
 * Identifies the payer, so that no one can send requests in their name: the address, if its key signed this payment. A
 * contract's signature (ERC-1271) can only be verified on the chain, so it identifies this payment only.
 */
export async function payerOf(
  { authorization, signature, payer }: X402Payment,
  { requirements, chainId }: PaymentTerms,
): Promise<string> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const { name, version } = requirements.extra
  const signer = await recoverTypedDataAddress({
    domain: {
      name: String(name),
      version: String(version),
      chainId,
      verifyingContract: requirements.asset as Hex,
    },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from as Hex,
      to: to as Hex,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
    signature,
    // The library throws for an invalid signature.
  }).catch(() => undefined)
  return signer?.toLowerCase() === payer ? payer : `${payer}:${await sha256Hex(signature)}`
}
