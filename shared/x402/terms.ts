import type { PaymentRequirements } from '@x402/core/types'
import { findDefaultAsset } from '@x402/evm'
import { getAddress, type Hex, parseAbi } from 'viem'
import type { Rpc } from '../evm/client.ts'
import { readContract } from '../evm/read-contract.ts'
import { parse } from '../money/amount.ts'
import { notConfigured } from '../platform/errors.ts'

export interface TermsSettings {
  X402_PAY_TO?: string | undefined
  X402_FACILITATOR_URL?: string | undefined
  EVM_CHAIN_ID: number
  EVM_RPC_URL?: string | undefined
  USDC_ADDRESS?: string | undefined
}

/** What a payment must be like to be taken, and who settles it. */
export interface PaymentTerms {
  /** scheme exact of x402 version 2, by an authorization of EIP-3009. */
  requirements: PaymentRequirements
  chainId: number
  facilitatorUrl: string
  rpc: Rpc
}

export interface Priced {
  /** What is sold, as the 503 names it. */
  feature: string
  /** USD as a decimal text. */
  price: string
}

/** Base, whose USDC needs no setting: contract.md 1. */
const base = { chainId: 8453, usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }

/**
 * How long an authorization shall be good: the work, and once more a request that takes up what a killed process has
 * left, which waits until that one is surely gone.
 */
const goodForSeconds = 300

/**
 * What is asked for one answer.
 * @throws PlatformError 503 that names every setting that is missing, or where the chain cannot tell the token's name
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
    maxTimeoutSeconds: goodForSeconds,
    extra: await domainOf(rpc, network, getAddress(asset)),
  }
  return { requirements, chainId: EVM_CHAIN_ID, facilitatorUrl, rpc }
}

interface Domain extends Record<string, string> {
  name: string
  version: string
}

/** Of Circle's own contracts, on chains that nothing else is known of. */
const circle: Domain = { name: 'USD Coin', version: '2' }

/** By the token; it never changes. */
const read = new Map<string, Domain>()

/** What the token's authorizations are signed for (EIP-712): as x402 knows it, as the chain says, or as Circle's are. */
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
