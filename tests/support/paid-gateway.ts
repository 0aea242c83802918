import { x402Client, x402HTTPClient } from '@x402/core/client'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { routes } from '../../functions/web/x402.ts'
import { describedCatalogue } from '../../shared/ai/models/described.ts'
import { createProviders } from '../../shared/ai/providers/provider.ts'
import { createApp } from '../../shared/http/app.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import { carryOutTurn } from '../../shared/paid-gateway/turns/carry-out.ts'
import type { TurnRef } from '../../shared/paid-gateway/turns/topic.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { newSeed } from '../../shared/platform/ids.ts'
import { createLog } from '../../shared/platform/log.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import type { Anvil } from './anvil.ts'
import { encryptionKey } from './chat.ts'
import { place } from './contracts.ts'
import { usdcCode } from './usdc.ts'

/** Base's USDC, which is at the same address on the test's chain. */
export const usdc: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

export const payTo: Hex = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
])

export interface GatewayOptions {
  table: Table
  gatewayUrl?: string | undefined
  /** Settings of the gateway, by their names. */
  settings?: Record<string, string>
  /** The agents' side, where it is to be another than the job. */
  queues?: Queues<'paid-turns'>
  limits?: 'on' | 'off'
  ip?: string
}

/** The routes of the function over a table, with the job that asks agents behind its queue. */
export function paidGateway({
  table,
  gatewayUrl,
  settings = {},
  queues,
  limits = 'off',
}: GatewayOptions) {
  const config = loadConfig({ ...settings })
  const providers = createProviders(config)
  const log = createLog({ function: 'paid-turns' })
  const job: Queues = {
    send: async (_topic, message) => {
      const ctx = {
        table,
        config,
        log,
        encryptionKey,
        requestId: 'req_1',
        seed: newSeed(),
        queues: job,
      }
      void carryOutTurn(ctx, message as TurnRef)
    },
    sendAll: () => Promise.reject(new Error('nothing was to be sent')),
  }
  const app = createApp({
    surface: 'web',
    name: 'web-x402',
    routes,
    services: {
      table,
      gatewayUrl,
      queues: queues ?? job,
      config,
      providers,
      catalogue: describedCatalogue(providers),
      timeoutMs: config.AI_MODEL_TIMEOUT_MS,
      capUsd: config.X402_SPEND_CAP_USD ?? null,
    },
    settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: limits },
    identity: userIdentities(table, []),
    table,
  })
  return app
}

export interface Payer {
  address: Hex
  /** The header that pays for what a 402 asks for. */
  sign(
    required: PaymentRequired,
    change?: (payload: PaymentPayload) => void,
  ): Promise<Record<string, string>>
  balance(): Promise<bigint>
}

/** Puts the token on the chain. */
export async function placeUsdc(anvil: Anvil): Promise<void> {
  await place(anvil, usdc, usdcCode)
}

/** Someone with x402's own client and some USDC, in its smallest unit. */
export async function newPayer(anvil: Anvil, funds = 10_000_000n): Promise<Payer> {
  const account = privateKeyToAccount(generatePrivateKey())
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  const http = new x402HTTPClient(client)
  if (funds > 0n) await mint(anvil, account.address, funds)
  return {
    address: account.address,
    async sign(required, change = () => {}) {
      const payload = await http.createPaymentPayload(required)
      change(payload)
      return http.encodePaymentSignatureHeader(payload)
    },
    balance: () => balanceOf(anvil, account.address),
  }
}

export async function mint(anvil: Anvil, to: Hex, value: bigint): Promise<void> {
  const [from] = (await anvil.request('eth_accounts')) as unknown as [Hex]
  const data = encodeFunctionData({ abi, functionName: 'mint', args: [to, value] })
  await anvil.send({ from, to: usdc, data })
}

export async function balanceOf(anvil: Anvil, address: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [address] })
  return BigInt(await anvil.request('eth_call', { to: usdc, data }, 'latest'))
}
