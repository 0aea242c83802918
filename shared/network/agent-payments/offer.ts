import { getAddress, type Hex, isAddress, zeroAddress } from 'viem'
import * as z from 'zod'
import type { Effect } from '#shared/permits/policy/effect.ts'
import { once } from '#shared/platform/once.ts'

/** A host's demand that the platform can pay. */
export interface Offer {
  /** With its checksum. */
  payee: Hex
  /** Millionths of a US dollar, above 0. */
  microUsd: bigint
  /** The validity that the host asks for, in seconds, above 0. */
  seconds: number
  /** The payload of x402 without the authorization. It repeats the host’s fields, because the host compares them. */
  envelope: { x402Version: 2; accepted: unknown; resource?: unknown; extensions?: unknown }
}

/** A payment as the policy decides it. */
export type PaymentEffect = Extract<Effect, { action: 'payment.send' }>

/** A host’s answer 402. */
export interface Demand {
  /** The header PAYMENT-REQUIRED, base64 of JSON, if it has one. */
  header: string | undefined
  body: Buffer
}

/** The maximum length of a payload, so that it fits into a request’s header. */
const maxCharacters = 8192

/** The maximum nesting of a demand. A deeper one could overflow the stack of `JSON.stringify`. */
const maxLevels = 32

const demand = once(() =>
  z.object({
    x402Version: z.literal(2),
    accepts: z.array(z.unknown()).max(100),
    resource: z.unknown().optional(),
    extensions: z.unknown().optional(),
  }),
)

const requirements = once(() =>
  z.object({
    scheme: z.literal('exact'),
    network: z.string(),
    asset: z.string(),
    payTo: z.string().refine((text) => isAddress(text, { strict: false })),
    amount: z.string().regex(/^[1-9]\d{0,77}$/),
    maxTimeoutSeconds: z.number().int().positive(),
    extra: z
      .looseObject({
        assetTransferMethod: z.literal('eip3009').optional(),
        paymentFlow: z.literal('authorization').optional(),
      })
      .nullish(),
  }),
)

/**
 * Returns the demands of a 402 that the platform can pay: x402 version 2, scheme exact by EIP-3009, USDC of one chain.
 * All other demands are left out. If the 402 has the header, its body is ignored.
 * @param on the chain, and the address of the USDC contract in upper or lower case
 */
export function offersIn(answer: Demand, on: { chainId: number; token: string }): Offer[] {
  const read = demand().safeParse(jsonOf(answer))
  if (!read.success) return []
  const { accepts, resource, extensions } = read.data
  return accepts.flatMap((accepted) => {
    const one = requirements().safeParse(accepted)
    if (!one.success) return []
    const { network, asset, payTo, amount, maxTimeoutSeconds: seconds } = one.data
    if (network !== `eip155:${on.chainId}`) return []
    if (asset.toLowerCase() !== on.token.toLowerCase()) return []
    const payee = getAddress(payTo.toLowerCase())
    if (payee === zeroAddress) return []
    const envelope = {
      x402Version: 2 as const,
      accepted,
      ...(resource !== undefined && { resource }),
      ...(extensions !== undefined && { extensions }),
    }
    if (isDeeper(envelope, maxLevels) || JSON.stringify(envelope).length > maxCharacters) return []
    return [{ payee, microUsd: BigInt(amount), seconds, envelope }]
  })
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

function jsonOf({ header, body }: Demand): unknown {
  const text = header === undefined ? body.toString() : Buffer.from(header, 'base64').toString()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the cheapest offer; undefined for an empty list. */
export function cheapest(offers: readonly Offer[]): Offer | undefined {
  return offers.reduce<Offer | undefined>(
    (best, one) => (best === undefined || one.microUsd < best.microUsd ? one : best),
    undefined,
  )
}
