import type { PaymentRequirements } from '@x402/core/types'
import { findDefaultAsset } from '@x402/evm'
import { getAddress, type Hex, parseAbi } from 'viem'
import { notConfigured } from '#shared/platform/errors.ts'
import { parse } from '../amounts/amount.ts'
import type { Rpc } from '../evm/client.ts'
import { readContract } from '../evm/read-contract.ts'

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
    extra: await domainOf(rpc, network, getAddress(asset)),
  }
  return { requirements, chainId: EVM_CHAIN_ID, facilitatorUrl, rpc }
}

interface Domain extends Record<string, string> {
  name: string
  version: string
}

/** The domain of Circle's contracts, for unknown chains. */
const circle: Domain = { name: 'USD Coin', version: '2' }

/** The domains that were read, by token. A token's domain never changes. */
const read = new Map<string, Domain>()

/** Returns the EIP-712 domain of the token: from x402's list, from the chain, or Circle's default. */
async function domainOf(rpc: Rpc, network: `eip155:${number}`, asset: Hex): Promise<Domain> {
  const known = findDefaultAsset(asset, network)
  if (known !== undefined) return { name: known.name, version: known.version }
  if (rpc.url === undefined) return circle
  const key = `${network} ${asset}`
  const domain = read.get(key) ?? (await readDomain(rpc, asset))
  read.set(key, domain)
  return domain
}

const metadata = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
])

/** @throws PlatformError 503 */
async function readDomain(rpc: Rpc, address: Hex): Promise<Domain> {
  const [name, version] = await Promise.all([
    readContract(rpc, { address, abi: metadata, functionName: 'name' }),
    readContract(rpc, { address, abi: metadata, functionName: 'version' }),
  ])
  return { name: name ?? circle.name, version: version ?? circle.version }
}
