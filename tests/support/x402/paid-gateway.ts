import { x402Client, x402HTTPClient } from '@x402/core/client'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { authorizationTypes } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { encodeFunctionData, type Hex, parseAbi, parseSignature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { routes } from '#functions/web/paid-gateway.ts'
import { userIdentities } from '#shared/accounts/keys/identity.ts'
import { describeCatalogue } from '#shared/ai/gateway/models/describe-catalogue.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { executeTurn } from '#shared/conversations/paid-gateway/turns/execute.ts'
import type { TurnRef } from '#shared/conversations/paid-gateway/turns/topic.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { testModelSets } from '../ai/model-sets.ts'
import type { Anvil } from '../chains/anvil.ts'
import { place } from '../chains/contracts.ts'
import { usdcCode } from '../chains/usdc.ts'
import { encryptionKey } from '../conversations/chat.ts'
import { noQueues } from '../platform/message-queue.ts'

/** The address of Base's USDC, which the test's chain uses too. */
export const usdc: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

export const payTo: Hex = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

/** The EIP-712 domain of the token's signatures. */
const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc }

const cancelTypes = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export interface GatewayOptions {
  table: Table
  settings?: Record<string, string>
  /** The queue of paid turns, if not the job's own. */
  queues?: Queues<'paid-turns'>
  limits?: 'on' | 'off'
}

/** Starts the function's routes over a table, with the job behind its queue that calls agents. */
export function paidGateway({ table, settings = {}, queues, limits = 'off' }: GatewayOptions) {
  const config = loadConfig({ ...settings })
  const providers = createProviders({ ...config, ...testModelSets })
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
      void executeTurn(ctx, message as TurnRef)
    },
    sendAll: () => Promise.reject(new Error('unexpected message')),
  }
  const app = createApp({
    surface: 'web',
    name: 'web-paid-gateway',
    routes,
    services: {
      table,
      queues: queues ?? job,
      settlements: noQueues,
      config,
      webUrl: config.WEB_URL,
      providers,
      catalogue: describeCatalogue(providers),
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
  /** Returns the payment header for the requirements of a 402. */
  sign(
    required: PaymentRequired,
    change?: (payload: PaymentPayload) => void,
  ): Promise<Record<string, string>>
  balance(): Promise<bigint>
  /** Cancels a nonce on the chain. */
  cancel(nonce: Hex): Promise<void>
  /** Executes an authorization with this nonce on the chain, for any amount to any address. */
  transfer(nonce: Hex, to: Hex, value: bigint): Promise<void>
}

/** Deploys the token on the chain. */
export async function placeUsdc(anvil: Anvil): Promise<void> {
  await place(anvil, usdc, usdcCode)
}

/**
 * Creates a payer with x402's own client and some USDC.
 * @param funds in USDC's smallest unit
 */
export async function newPayer(anvil: Anvil, funds = 10_000_000n): Promise<Payer> {
  const account = privateKeyToAccount(generatePrivateKey())
  const schemes = [{ network: 'eip155:*' as const, client: new ExactEvmScheme(account) }]
  // Signs for any token and amount, as a dishonest payer may.
  const client = x402Client.fromConfig({ schemes, spendControls: false })
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
    async cancel(nonce) {
      const authorizer = account.address
      const signature = await account.signTypedData({
        domain,
        types: cancelTypes,
        primaryType: 'CancelAuthorization',
        message: { authorizer, nonce },
      })
      const args = [authorizer, nonce, ...partsOf(signature)] as const
      await send(anvil, encodeFunctionData({ abi, functionName: 'cancelAuthorization', args }))
    },
    async transfer(nonce, to, value) {
      const from = account.address
      const [validAfter, validBefore] = [0n, 2n ** 40n]
      const signature = await account.signTypedData({
        domain,
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: { from, to, value, validAfter, validBefore, nonce },
      })
      const args = [from, to, value, validAfter, validBefore, nonce, ...partsOf(signature)] as const
      await send(
        anvil,
        encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args }),
      )
    },
  }
}

function partsOf(signature: Hex): [v: number, r: Hex, s: Hex] {
  const { v, r, s } = parseSignature(signature)
  return [Number(v), r, s]
}

/** Calls the token from an account with ether. */
async function send(anvil: Anvil, data: Hex): Promise<void> {
  const [from] = (await anvil.request('eth_accounts')) as unknown as [Hex]
  const hash = await anvil.send({ from, to: usdc, data })
  const receipt = (await anvil.request('eth_getTransactionReceipt', hash)) as unknown as {
    status: Hex
  }
  if (receipt.status !== '0x1') throw new Error(`the token refused ${data}`)
}

export async function mint(anvil: Anvil, to: Hex, value: bigint): Promise<void> {
  await send(anvil, encodeFunctionData({ abi, functionName: 'mint', args: [to, value] }))
}

export async function balanceOf(anvil: Anvil, address: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [address] })
  return BigInt(await anvil.request('eth_call', { to: usdc, data }, 'latest'))
}
