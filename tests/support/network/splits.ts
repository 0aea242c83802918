import { encodeFunctionData, type Hex, hexToBytes, parseAbi } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { routes } from '#functions/backend/splits.ts'
import { createApp } from '#shared/http/app.ts'
import { newWalletParts } from '#shared/money/wallets/find.ts'
import { walletKeyRows } from '#shared/network/signer/keys/rows.ts'
import { plainSeals } from '#shared/network/signer/keys/seal.ts'
import type { Finality } from '#shared/network/splits/chain/finality.ts'
import type { SplitView } from '#shared/network/splits/schema.ts'
import type { PaymentSigner } from '#shared/network/splits/signing/port.ts'
import { tickSplits } from '#shared/network/splits/tick.ts'
import type { WalletWork } from '#shared/network/splits/topic.ts'
import { workOnWallet } from '#shared/network/splits/work/wallet.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { commit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startAnvil } from '../chains/anvil.ts'
import { place } from '../chains/contracts.ts'
import { testSigner, walletKey } from '../chains/signer.ts'
import { usdcCode } from '../chains/usdc.ts'
import { startTestTable } from '../platform/table.ts'

/** The address of Base's USDC, which the test's chain uses too. */
export const usdc: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

export const token = parseAbi([
  'function mint(address to, uint256 value)',
  'function blacklist(address account, bool listed)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address) view returns (uint256)',
])

/** Anvil's first account, which has ETH. */
export const rich: Hex = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** An agent's wallet whose private key the test knows. */
export interface Payer {
  userId: string
  agentId: string
  address: Hex
  account: PrivateKeyAccount
}

interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

/** Replaces parts of the world for one look at a wallet. */
export interface CheckOverrides {
  table?: Table
  queues?: Queues<'splits' | 'webhook-deliveries'>
  signer?: PaymentSigner
  url?: string
  chainId?: number
  token?: Hex
  finality?: Finality
}

export type SplitWorld = Awaited<ReturnType<typeof startSplits>>

/**
 * Starts the routes of splits and their job over a table and a chain of their own. Messages wait until the test lets
 * time pass.
 */
export async function startSplits() {
  const { table, close } = await startTestTable()
  // A block becomes final two blocks later.
  const anvil = await startAnvil(8453, '--slots-in-an-epoch', '1')
  await place(anvil, usdc, usdcCode)
  const sent: { message: WalletWork; at: number; seed: string }[] = []
  let now = Date.now()

  const queues: Queues<'splits' | 'webhook-deliveries'> = {
    send: async (_topic, message, { delaySeconds = 0 } = {}) => {
      sent.push({ message: message as WalletWork, at: now + delaySeconds * 1000, seed: newSeed() })
    },
    sendAll: async (topic, messages) => {
      for (const message of messages) await queues.send(topic, message)
    },
  }
  const signer = testSigner(table)({ requestId: 'req_1', askedBy: 'internal:usr_1' })

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { body, headers, settings, look } = options
    const app = createApp({
      surface: 'backend',
      name: 'backend-splits',
      routes,
      services: {
        table: look?.table ?? table,
        queues: look?.queues ?? queues,
        chain: { EVM_CHAIN_ID: 8453, EVM_RPC_URL: anvil.url, ...settings },
      },
      settings: { RATE_LIMITS: 'off', INTERNAL_API_KEY: 'internal-key' },
      table,
    })
    const answer = await app.request(path, {
      method,
      headers: {
        authorization: 'Bearer internal-key',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    })
    const { status, headers: given } = answer
    return { status, headers: given, body: (await answer.json()) as Answer['body'] }
  }

  /** Looks at a wallet once, as the job does. */
  async function look(
    message: WalletWork,
    given: CheckOverrides = {},
    seed = newSeed(),
  ): Promise<void> {
    const {
      url = anvil.url,
      chainId = 8453,
      token: at = usdc,
      finality = 'settled',
      ...rest
    } = given
    await workOnWallet(
      {
        table,
        queues,
        signer,
        ...rest,
        actor: { type: 'platform', askedBy: 'internal:usr_1' },
        log: createLog({ function: 'splits' }),
        requestId: 'req_1',
        seed,
        chain: { rpc: { url, setting: 'EVM_RPC_URL' }, chainId, token: at },
        finality,
        clock: () => now,
      },
      message,
    )
  }

  const world = {
    table,
    anvil,
    queues,
    signer,
    sent,
    call,
    look,
    now: () => now,
    pass: (seconds: number) => {
      now += seconds * 1000
    },
    tick: () => tickSplits({ table, queues, clock: () => now }),

    /**
     * Takes the next due message, after the time until then has passed. If the look fails, the message is delivered
     * again.
     * @returns false if no message waits
     */
    async next(given: CheckOverrides = {}): Promise<boolean> {
      sent.sort((one, other) => one.at - other.at)
      const first = sent.shift()
      if (first === undefined) return false
      now = Math.max(now, first.at)
      try {
        await look(first.message, given, first.seed)
      } catch (error) {
        sent.push({ ...first, at: now + 2000 })
        throw error
      }
      return true
    },

    /** Looks and mines a block in turn until a split has ended. */
    async until(splitId: number, given: CheckOverrides = {}): Promise<SplitView> {
      for (let looks = 0; looks < 60; looks++) {
        const split = await world.split(splitId)
        if (split.status === 'completed' || split.status === 'failed') return split
        if (!(await world.next(given))) {
          now += 60_000
          await world.tick()
        }
        await anvil.request('anvil_mine', '0x1')
      }
      throw new Error(`not finished: ${JSON.stringify(await world.split(splitId))}`)
    },

    async newPayer({ micro = 1_000_000_000n, eth = 10n ** 18n } = {}): Promise<Payer> {
      const payer = await insertPayer(table, walletKey)
      await anvil.request('anvil_setBalance', payer.address, `0x${eth.toString(16)}`)
      if (micro > 0n) await world.onToken('mint', [payer.address, micro])
      return payer
    },

    async onToken(functionName: 'mint', args: [Hex, bigint]): Promise<void> {
      const data = encodeFunctionData({ abi: token, functionName, args })
      await anvil.send({ from: rich, to: usdc, data })
    },

    async block(address: Hex, listed = true): Promise<void> {
      const data = encodeFunctionData({
        abi: token,
        functionName: 'blacklist',
        args: [address, listed],
      })
      await anvil.send({ from: rich, to: usdc, data })
    },

    /** Micro-USDC. */
    async balance(address: string): Promise<bigint> {
      const data = encodeFunctionData({
        abi: token,
        functionName: 'balanceOf',
        args: [address as Hex],
      })
      return BigInt(await anvil.request('eth_call', { to: usdc, data }, 'latest'))
    },

    /** Returns the number of an account's transactions in blocks. */
    count: async (address: Hex) =>
      Number(await anvil.request('eth_getTransactionCount', address, 'latest')),

    order: (payer: Payer, more: Record<string, unknown> = {}) => ({
      userId: payer.userId,
      agentId: payer.agentId,
      fromAddress: payer.address,
      name: 'Royalties',
      totalAmount: '10',
      recipients: [{ address: newAddress(), share: 100 }],
      ...more,
    }),

    async create(payer: Payer, more: Record<string, unknown> = {}): Promise<number> {
      const { status, body } = await call('POST', '/api/underground/splits', {
        body: world.order(payer, more),
      })
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return Number(body.splitId)
    },

    async split(splitId: number): Promise<SplitView> {
      const { body } = await call('GET', `/api/underground/splits/${splitId}`)
      return body as unknown as SplitView
    },

    retry: (splitId: number, options?: CallOptions) =>
      call('POST', `/api/underground/splits/${splitId}/retry`, options),

    async close() {
      await anvil.close()
      await close()
    },
  }
  return world
}

/** Inserts a wallet whose private key the test knows, sealed as the signer seals it. */
export async function insertPayer(table: Table, encryptionKey: string): Promise<Payer> {
  const secret = generatePrivateKey()
  const account = privateKeyToAccount(secret)
  const { address } = account
  const seed = newSeed().toLowerCase()
  const [userId, agentId] = [`usr_${seed}`, `agt_${seed}`]
  const createdAt = new Date().toISOString()
  const key = new Uint8Array(hexToBytes(secret))
  const sealed = await plainSeals(encryptionKey).seal(key, { agentId, address })
  await commit(table, {
    ...newWalletParts({ address, agentId, userId, createdAt }),
    key: { put: walletKeyRows.put({ agentId }, { address, sealed, createdAt }) },
  })
  return { userId, agentId, address, account }
}

interface CallOptions {
  body?: unknown
  headers?: Record<string, string>
  settings?: Record<string, unknown>
  look?: CheckOverrides
}

/** Returns a new address without funds. */
export function newAddress(): Hex {
  return privateKeyToAccount(generatePrivateKey()).address
}

/** Returns this number of recipients with equal shares. */
export function recipients(count: number) {
  return Array.from({ length: count }, () => ({ address: newAddress(), share: 100 / count }))
}
