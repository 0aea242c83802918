import { encodeEventTopics, erc20Abi, type Hex, numberToHex } from 'viem'
import * as z from 'zod'
import { askAll, askEach, quantity, word } from '../../evm/batch.ts'
import type { UsdcChain } from '../../evm/usdc.ts'
import type { Payment } from '../payments.ts'
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

/** A nonce that the chain counts as used, and what is known of it. */
interface Missing {
  tries: readonly Payment[]
  /** The block that another transaction was found in which used it, by an earlier look. */
  takenIn?: string | undefined
}

/** Before the block that a payment was signed at, for a chain that has been reorganised since. */
const margin = 64

/** Heights that one request asks about. */
const probes = 64

/** Of these some are near the newest block: a node without archive knows the state of the last 128 alone. */
const nearby = [0, 1, 2, 4, 8, 16, 32, 64, 96, 120]

/**
 * What used a nonce that the chain counts as used, where none of its tries has a receipt. That a node knows none of them
 * proves nothing: it may lag or have lost its index. Another transaction took the nonce only where the block is found
 * that used it, none of the tries is in that block, and no such payment either.
 * @returns undefined where the chain has given the nonce back since it was counted: the next look sees what is
 * @throws PlatformError 503 where the node does not answer
 */
export async function whatTook(
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
  if (block !== undefined) return taken(lookout, block)
  return (await isUsedNow(lookout, first)) ? unproven : undefined
}

async function isUsedNow({ chain, wallet }: Lookout, { nonce }: Payment): Promise<boolean> {
  const params = [wallet, 'latest']
  const method = 'eth_getTransactionCount'
  const [count] = await askAll(chain.rpc, [{ method, params, form: quantity() }])
  return count > BigInt(nonce)
}

interface Place {
  hash: string
  number: number
}

function taken({ head, finality }: Lookout, { hash, number }: Place): Observation {
  return {
    kind: 'taken',
    block: hash,
    depth: Math.max(1, head.block - number + 1),
    final: finality === 'settled' || (head.final?.block ?? -1) >= number,
  }
}

const unproven: Observation = {
  kind: 'contradiction',
  why: 'a nonce is used, and the node shows no transaction that has used it',
}

/**
 * A block of the chain of now that was found before to have used the nonce: what it holds does not change, while a node
 * without archive forgets its state before the chain has made it final.
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
 * The block of a number that used a nonce, unless it holds one of the tries or a payment like theirs. The wallet's counts are
 * asked for between two looks at the block, so that they are of it and of no other that took its place.
 */
async function blockWithout(
  { chain, wallet }: Lookout,
  number: number,
  tries: readonly Payment[],
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

/** The first block by which the wallet's count is above a nonce; undefined where the node cannot tell. */
async function blockThatUsed(
  lookout: Lookout,
  { nonce, block }: Payment,
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
    // Where it knows no state before the nonce was used, or none after that, it cannot tell.
    if (low === undefined || high === undefined) return undefined
    // None in between brings it no further.
    if (isProven && low[0] === unused && high === used) return undefined
    unused = low[0]
    used = high
    isProven = true
  }
  return used
}

/** The lower end, and others evenly up to the upper one. */
function heightsBetween(from: number, to: number): number[] {
  const step = Math.max(1, Math.ceil((to - from) / probes))
  const heights: number[] = []
  for (let height = from; height < to; height += step) heights.push(height)
  return heights
}

/** The wallet's counts at heights that the node has the state of, from the lowest on. It refuses the others. */
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
