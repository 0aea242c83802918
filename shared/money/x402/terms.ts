import type { PaymentRequirements } from '@x402/core/types'
import { getAddress } from 'viem'
import { notConfigured } from '#shared/platform/errors.ts'
import { parse } from '../amounts/amount.ts'
import type { Rpc } from '../evm/client.ts'
import { tokenDomain } from './token-domain.ts'

export interface TermsSettings {
  X402_PAY_TO?: string | undefined
  X402_FACILITATOR_URL?: string | undefined
  EVM_CHAIN_ID: number
  EVM_RPC_URL?: string | undefined
  USDC_ADDRESS?: string | undefined
}

/** The terms of a payment, and the facilitator that settles it. */
export interface PaymentTerms {
  /** Scheme exact of x402 version 2, with an EIP-3009 authorization. */
  requirements: PaymentRequirements
  chainId: number
  facilitatorUrl: string
  rpc: Rpc
}

export interface Priced {
  /** The name of the sold feature, for the 503 error. */
  feature: string
  /** USD as a decimal string. */
  price: string
}

/** Base, whose USDC is built in: contract.md 1. */
const base = { chainId: 8453, usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }

/**
 * The validity of an authorization: the time for the work and one retry. If a process is killed, the retry waits until
 * that process has certainly ended.
 */
const validSeconds = 300

/**
 * Returns the terms of the payment for one response.
 * @throws PlatformError 503 that names every missing setting, or if the chain does not return the token's name
 */
export async function requireTerms(
  settings: TermsSettings,
  { feature, price }: Priced,
): Promise<PaymentTerms> {
  const { X402_PAY_TO: payTo, X402_FACILITATOR_URL: facilitatorUrl, EVM_CHAIN_ID } = settings
  const asset = settings.USDC_ADDRESS ?? (EVM_CHAIN_ID === base.chainId ? base.usdc : undefined)
  const missing = [
    ...(payTo === undefined ? ['X402_PAY_TO'] : []),
    ...(facilitatorUrl === undefined ? ['X402_FACILITATOR_URL'] : []),
    ...(asset === undefined ? ['USDC_ADDRESS'] : []),
  ]
  if (payTo === undefined || facilitatorUrl === undefined || asset === undefined)
    throw notConfigured(feature, missing)
  const rpc: Rpc = { url: settings.EVM_RPC_URL, setting: 'EVM_RPC_URL' }
  const network = `eip155:${EVM_CHAIN_ID}` as const
  const requirements: PaymentRequirements = {
    scheme: 'exact',
    network,
    asset: getAddress(asset),
    amount: String(parse('USDC', price).minor),
    payTo: getAddress(payTo),
    maxTimeoutSeconds: validSeconds,
    extra: { ...(await tokenDomain(rpc, network, getAddress(asset))) },
  }
  return { requirements, chainId: EVM_CHAIN_ID, facilitatorUrl, rpc }
}
