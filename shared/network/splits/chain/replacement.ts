import { encodeEventTopics, erc20Abi, type Hex, numberToHex } from 'viem'
import * as z from 'zod'
import { askAll, askEach, quantity, word } from '#shared/money/evm/batch.ts'
import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import type { SignedPayment } from '../payments.ts'
import type { Observation } from '../state/observe.ts'
import type { Finality } from './finality.ts'
import type { Head } from './head.ts'

interface Lookout {
  chain: UsdcChain
  head: Head
  /** In lower case. */
  wallet: Hex
  finality: Finality
}

/** A used nonce without a receipt. */
interface Missing {
  tries: readonly SignedPayment[]
  /** The block of another transaction with the nonce, found by an earlier check. */
  takenIn?: string | undefined
}

/** The number of blocks before the signing of the payment that are also searched, in case of a reorganisation. */
const margin = 64

/** The number of block heights in one request. */
const probes = 64

/**
 * The depths below the newest block that are read first: a node without an archive stores only the state of the last
 * 128 blocks.
 */
const nearby = [0, 1, 2, 4, 8, 16, 32, 64, 96, 120]

/**
 * Finds the transaction that used a nonce, if the signed transactions have no receipt. A missing receipt proves
 * nothing: the node may lag or have lost its index. Another transaction has used the nonce only if its block is found,
 * and the block contains no signed transaction and no equal payment.
 * @returns undefined if the chain has released the nonce in the meantime; the next check finds the reason
 * @throws PlatformError 503 if the node does not respond
 */
export async function findReplacement(
  lookout: Lookout,
  missing: Missing,
): Promise<Observation | undefined> {
  const { tries, takenIn } = missing
  const [first] = tries
  if (first === undefined) throw new Error('a payment that was signed is not stored')
  const number = await blockThatUsed(lookout, first)
  const block =
    number === undefined
      ? await stillThere(lookout, takenIn)
      : await blockWithout(lookout, number, tries)
  if (block !== undefined) return replacedBy(lookout, block)
  return (await isUsedNow(lookout, first)) ? unproven : undefined
}

async function isUsedNow({ chain, wallet }: Lookout, { nonce }: SignedPayment): Promise<boolean> {
  const params = [wallet, 'latest']
  const method = 'eth_getTransactionCount'
  const [count] = await askAll(chain.rpc, [{ method, params, form: quantity() }])
  return count > BigInt(nonce)
}

interface Place {
  hash: string
  number: number
}

function replacedBy({ head, finality }: Lookout, { hash, number }: Place): Observation {
  return {
    kind: 'taken',
    block: hash,
    depth: Math.max(1, head.block - number + 1),
    final: finality === 'settled' || (head.final?.block ?? -1) >= number,
  }
}

const unproven: Observation = {
  kind: 'contradiction',
  why: 'a nonce is used, but the node returns no transaction that used it',
}

/**
 * Returns the block that used the nonce according to an earlier check, if it is still on the chain. Its content cannot
 * change, but a node without an archive discards its state before it is final.
 */
async function stillThere(
  { chain: { rpc } }: Pick<Lookout, 'chain'>,
  hash: string | undefined,
): Promise<Place | undefined> {
  if (hash === undefined) return undefined
  const form = z.object({ hash: word(), number: quantity() }).nullable()
  const method = 'eth_getBlockByHash'
  const [block] = await askAll(rpc, [{ method, params: [hash, false], form }])
  if (block === null) return undefined
  const at = [numberToHex(block.number), false]
  const [current] = await askAll(rpc, [{ method: 'eth_getBlockByNumber', params: at, form }])
  return current?.hash === hash ? { hash, number: Number(block.number) } : undefined
}

/**
 * Returns the block at a height if it used the nonce and contains neither a signed transaction nor an equal payment.
 * The wallet's counts are read between two reads of the block, so that they belong to this block and not to a
 * replacement.
 */
async function blockWithout(
  { chain, wallet }: Lookout,
  number: number,
  tries: readonly SignedPayment[],
): Promise<Place | undefined> {
  const [block] = await askAll(chain.rpc, [
    {
      method: 'eth_getBlockByNumber',
      params: [numberToHex(number), false],
      form: z.object({ hash: word(), transactions: z.array(word()) }).nullable(),
    },
  ])
  if (block === null) return undefined
  const pays = tries[0]?.pays
  const topics = encodeEventTopics({
    abi: erc20Abi,
    eventName: 'Transfer',
    args: { from: wallet, to: pays?.to as Hex },
  })
  const [transfers] = await askAll(chain.rpc, [
    {
      method: 'eth_getLogs',
      params: [{ blockHash: block.hash, address: chain.token, topics }],
      form: z.array(z.object({ data: quantity() })),
    },
  ])
  const hashes = new Set(tries.map(({ hash }) => hash))
  const isPaid = transfers.some(({ data }) => data === BigInt(pays?.amount ?? 0))
  if (isPaid || block.transactions.some((hash) => hashes.has(hash))) return undefined
  const nonce = BigInt(tries[0]?.nonce ?? 0)
  const counts = await countsAt({ chain, wallet }, [number - 1, number])
  const [before, after] = counts.map(([, count]) => count)
  const uses = before !== undefined && after !== undefined && before <= nonce && after > nonce
  return uses ? stillThere({ chain }, block.hash) : undefined
}

/** Returns the first block with a wallet count above a nonce, or undefined if the node lacks the state. */
async function blockThatUsed(
  lookout: Lookout,
  { nonce, block }: SignedPayment,
): Promise<number | undefined> {
  const newest = lookout.head.block
  let unused = Math.max(0, block - margin)
  let used = newest
  let isProven = false
  while (used - unused > 1 || !isProven) {
    const heights = heightsBetween(unused, used)
    if (!isProven) heights.push(...nearby.map((depth) => newest - depth))
    const counts = await countsAt(
      lookout,
      heights.filter((height) => height >= unused && height <= used),
    )
    const isUsed = ([, count]: readonly [number, bigint]) => count > BigInt(nonce)
    const first = counts.findIndex(isUsed)
    const low = counts[(first === -1 ? counts.length : first) - 1]
    const high = first === -1 && isProven ? used : counts[first]?.[0]
    // The node lacks the state before or after the use.
    if (low === undefined || high === undefined) return undefined
    // No height in between narrows the range.
    if (isProven && low[0] === unused && high === used) return undefined
    unused = low[0]
    used = high
    isProven = true
  }
  return used
}

/** Returns the lower height and others at even distances below the upper one. */
function heightsBetween(from: number, to: number): number[] {
  const step = Math.max(1, Math.ceil((to - from) / probes))
  const heights: number[] = []
  for (let height = from; height < to; height += step) heights.push(height)
  return heights
}

/** Returns the wallet's counts in ascending order of height, without heights whose state the node lacks. */
async function countsAt(
  { chain, wallet }: Pick<Lookout, 'chain' | 'wallet'>,
  heights: readonly number[],
): Promise<(readonly [height: number, count: bigint])[]> {
  const asked = [...new Set(heights)].toSorted((one, other) => one - other)
  const counts = await askEach(
    chain.rpc,
    asked.map((height) => ({
      method: 'eth_getTransactionCount',
      params: [wallet, numberToHex(height)],
      form: quantity(),
    })),
  )
  return counts.flatMap((count, i) => {
    const height = asked[i]
    return 'result' in count && height !== undefined ? [[height, count.result] as const] : []
  })
}
