import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeFunctionData, type Hex, toHex } from 'viem'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { tableName } from '#stacks/local/engines.ts'
import { startAnvil } from '../support/chains/anvil.ts'
import { place } from '../support/chains/contracts.ts'
import { startLyingNode } from '../support/chains/lying-node.ts'
import { usdcCode } from '../support/chains/usdc.ts'
import { call } from '../support/http/client.ts'
import {
  insertPayer,
  newAddress,
  type Payer,
  rich,
  token,
  usdc,
} from '../support/network/splits.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { startOwnStack } from '../support/stack/stack-process.ts'
import { seed } from '../support/vitest/seed.ts'
import { randomFrom } from './world/random.ts'

/** A large run: SPLITS=1000 SPLIT_KILLS=200 (docs/use/money.md). */
const splits = Number(process.env.SPLITS ?? 6)
const kills = Number(process.env.SPLIT_KILLS ?? 2)
const maxRecipients = Number(process.env.SPLIT_RECIPIENTS ?? (splits > 10 ? 50 : 5))

/** The number of parallel callers. */
const parallel = 8

/** A wallet pays its splits one after the other; several wallets pay in parallel. */
const wallets = Math.min(200, Math.ceil(splits / 2))

/** The platform calls the chain about twelve times per split. The kills are spread over most of the run. */
const requestsBetweenKills = Math.ceil((12 * splits) / kills)

/** The chain reverts fewer blocks than finality needs. */
const deepestReorganisation = 4

interface Order {
  body: { totalAmount: string; recipients: { address: Hex; share: number }[] }
  splitId: number | undefined
}

interface Paid {
  address: Hex
  amount: string
  status: string
}

it(`${splits} splits pay every recipient once under kills, chain reorganisations and node outages`, async () => {
  const random = randomFrom(seed)
  useLocalCredentials()
  const anvil = await startAnvil(8453, '--block-time', '1', '--slots-in-an-epoch', '1')
  onTestFinished(() => anvil.close())
  await place(anvil, usdc, usdcCode)

  let isCalm = false
  let requests = 0
  let downUntil = 0
  let reorganised = 0
  let nextReorganisation = 2 * deepestReorganisation
  let refused = 0
  let killing: Promise<void> | undefined
  let killed = 0
  let nextKill = 20

  /** The platform's calls of the chain trigger the faults, so that faults happen while it works. */
  async function chance(): Promise<boolean> {
    if (isCalm) return false
    requests++
    if (killed < kills && killing === undefined && requests > nextKill) {
      killed++
      nextKill = requests + 5 + random.below(requestsBetweenKills)
      killing = killAndStart()
    }
    if (random.percent(1)) downUntil = requests + random.below(15)
    const block = Number(await anvil.request('eth_blockNumber'))
    // A chain that reverted every block would never advance.
    if (block >= nextReorganisation) {
      nextReorganisation = block + 2 * deepestReorganisation + random.below(8)
      reorganised++
      await anvil.request('anvil_reorg', 1 + random.below(deepestReorganisation), [])
    }
    if (requests > downUntil) return false
    refused++
    return true
  }

  const node = await startLyingNode(anvil.url, (_, result) => result, chance)
  onTestFinished(() => node[Symbol.asyncDispose]())
  const stack = await startOwnStack({
    RATE_LIMITS: 'off',
    EVM_CHAIN_ID: '8453',
    EVM_RPC_URL: node.url,
  })
  onTestFailed(
    () => void process.stdout.write(`${stack.now().output().slice(-20_000)}\nseed ${seed}\n`),
  )
  onTestFinished(() => stack[Symbol.asyncDispose]())

  async function killAndStart(): Promise<void> {
    await stack.now().kill()
    await stack.startAgain()
    killing = undefined
  }

  const { WALLET_ENCRYPTION_KEY } = JSON.parse(
    await readFile(join(stack.dataDir, 'secrets.json'), 'utf8'),
  ) as { WALLET_ENCRYPTION_KEY: string }
  const table = dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
  const payers: Payer[] = []
  for (let n = 0; n < wallets; n++) {
    const payer = await insertPayer(table, WALLET_ENCRYPTION_KEY)
    await anvil.request('anvil_setBalance', payer.address, toHex(10n ** 20n))
    const args = [payer.address, 10n ** 15n] as const
    const data = encodeFunctionData({ abi: token, functionName: 'mint', args })
    await anvil.request('eth_sendTransaction', { from: rich, to: usdc, data })
    payers.push(payer)
  }
  await anvil.request('anvil_mine', toHex(deepestReorganisation))

  const newOrder = (): Order => ({
    splitId: undefined,
    body: {
      totalAmount: `${random.below(1000)}.${String(1 + random.below(999_999)).padStart(6, '0')}`,
      recipients: shares(random, 1 + random.below(maxRecipients)).map((share) => ({
        address: newAddress(),
        share,
      })),
    },
  })
  const orders = Array.from({ length: splits }, newOrder)

  /** Creates a split, and retries with the same Idempotency-Key until it gets a response. */
  async function ask(order: Order): Promise<void> {
    const { userId, agentId, address: fromAddress } = random.pick(payers)
    const body = { ...order.body, userId, agentId, fromAddress, name: 'Royalties' }
    const headers = {
      authorization: `Bearer ${stack.now().internalKey}`,
      'idempotency-key': randomUUID(),
    }
    while (order.splitId === undefined) {
      await killing
      const answer = await call(`${stack.now().backend}/api/underground/splits`, {
        body,
        headers,
      }).catch(() => undefined)
      if (answer?.status === 200) order.splitId = Number(answer.body.splitId)
      else expect([undefined, 409, 503]).toContain(answer?.status)
    }
  }

  async function show(splitId: number) {
    for (;;) {
      await killing
      const answer = await call(`${stack.now().backend}/api/underground/splits/${splitId}`, {
        headers: { authorization: `Bearer ${stack.now().internalKey}` },
      }).catch(() => undefined)
      if (answer?.status === 200) return answer.body
      expect([undefined, 503]).toContain(answer?.status)
    }
  }

  async function recipientsOf(splitId: number) {
    const { recipients } = (await show(splitId)) as unknown as { recipients: Paid[] }
    return recipients
  }

  const began = performance.now()
  const waiting = [...orders]
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (let order = waiting.pop(); order !== undefined; order = waiting.pop()) await ask(order)
    }),
  )
  async function untilPaid(paid: readonly Order[]): Promise<void> {
    const open = paid.map(({ splitId = 0 }) => splitId)
    const isFirstOver = async () =>
      open[0] !== undefined && (await show(open[0])).status === 'completed'
    await expect
      .poll(
        async () => {
          while (await isFirstOver()) open.shift()
          return open
        },
        { timeout: 3_000_000, interval: 500 },
      )
      .toEqual([])
  }
  await untilPaid(orders)
  const seconds = (performance.now() - began) / 1000
  // Splits that need few calls by chance do not reach the number of kills.
  while (killed < kills) {
    const order = newOrder()
    orders.push(order)
    await ask(order)
    await untilPaid([order])
  }
  await killing
  expect(killed).toBe(kills)

  // Only the final chain counts. The platform sends again what the chain reverted last.
  isCalm = true
  let expected = 0
  for (const { splitId = 0 } of orders)
    expected += (await recipientsOf(splitId)).filter(({ amount }) => Number(amount) > 0).length
  const countTransactions = async () => {
    let count = 0
    for (const { address } of payers)
      count += Number(await anvil.request('eth_getTransactionCount', address, 'latest'))
    return count
  }
  await expect
    .poll(countTransactions, { timeout: 300_000, interval: 1000 })
    .toBeGreaterThanOrEqual(expected)
  const transactions = await countTransactions()
  let paid = 0
  for (const { body, splitId } of orders) {
    let sum = 0n
    for (const { address, amount, status } of await recipientsOf(splitId ?? 0)) {
      const data = encodeFunctionData({ abi: token, functionName: 'balanceOf', args: [address] })
      const balance = BigInt(await anvil.request('eth_call', { to: usdc, data }, 'latest'))
      expect({ address, status, held: balance }).toEqual({
        address,
        status: 'confirmed',
        held: BigInt(amount.replace('.', '')),
      })
      sum += balance
      if (balance > 0n) paid++
    }
    expect(sum).toBe(BigInt(body.totalAmount.replace('.', '')))
  }
  expect(transactions).toBe(paid)
  expect(await enginesOf(() => stack.now().endpoints).deadLetters()).toEqual({})
  process.stdout.write(
    `${splits} splits, ${paid} payments, ${killed} kills, ${reorganised} reorganisations, ${refused} of ${requests} requests refused: ` +
      `${(splits / seconds).toFixed(2)} splits a second, ${(transactions / splits).toFixed(1)} transactions a split\n`,
  )
}, 7_200_000)

/** Returns random shares that sum to 100, in hundredths. */
function shares(random: ReturnType<typeof randomFrom>, count: number): number[] {
  const cuts = Array.from({ length: count - 1 }, () => 1 + random.below(9_999))
  const bounds = [0, ...[...new Set(cuts)].sort((a, b) => a - b), 10_000]
  return bounds.slice(1).map((bound, i) => (bound - (bounds[i] ?? 0)) / 100)
}
