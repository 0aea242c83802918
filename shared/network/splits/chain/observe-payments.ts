import { encodeEventTopics, erc20Abi, type Hex, numberToHex, pad } from 'viem'
import * as z from 'zod'
import { account, askAll, askEach, quantity, word } from '#shared/money/evm/batch.ts'
import { unreachable } from '#shared/money/evm/client.ts'
import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import type { SignedPayment } from '../payments.ts'
import type { Observation } from '../state/observe.ts'
import type { Finality } from './finality.ts'
import type { Head } from './head.ts'
import { findReplacement } from './replacement.ts'

/** The transactions signed for one nonce of a recipient. */
export interface NonceTries {
  index: number
  tries: readonly SignedPayment[]
  /** The block of another transaction with the nonce, found by an earlier check. */
  takenIn?: string | undefined
}

const log = () =>
  z.object({
    address: account(),
    topics: z.array(word()),
    data: z.string(),
    transactionHash: word(),
    removed: z.boolean().optional(),
  })

const receipt = () =>
  z.object({
    transactionHash: word(),
    blockHash: word(),
    blockNumber: quantity(),
    from: account(),
    to: account().nullable(),
    status: quantity(),
    logs: z.array(log()),
  })

type Log = z.output<ReturnType<typeof log>>
type Receipt = z.output<ReturnType<typeof receipt>>

/** The current block at a receipt's height, and the wallet's USDC transfers in the receipt's block. */
interface Block {
  hash: string | undefined
  /** Undefined if the node refused the request. */
  transfers: readonly Log[] | undefined
}

/**
 * The number of block headers per request. The header of a full block has a few hundred transaction hashes, so the
 * response is not too large.
 */
const blocksPerBatch = 10

/** The number of payments without a receipt that are checked concurrently, with four requests each. */
const missingPerBatch = 10

interface Lookout {
  chain: UsdcChain
  head: Head
  /** In lower case. */
  wallet: Hex
  finality: Finality
}

/**
 * Observes payments on the chain. No single response is trusted: a receipt must belong to the signed bytes, lie in a
 * block of the current chain, and agree with that block's transfers. Payments in a block that is being reorganised are
 * omitted.
 * @throws PlatformError 503 if the node does not respond
 */
export async function observePayments(
  lookout: Lookout,
  asked: readonly NonceTries[],
): Promise<Map<number, Observation>> {
  const { chain, head } = lookout
  const observations = new Map<number, Observation>()
  const used: NonceTries[] = []
  for (const one of asked) {
    const newest = one.tries.at(-1)
    if (newest === undefined) throw new Error('a payment that was signed is not stored')
    if (newest.nonce < head.count) used.push(one)
    else observations.set(one.index, { kind: 'unused', hash: newest.hash })
  }
  const receipts = await readReceipts(chain, used)
  const blocks = await readBlocks(lookout, [...receipts.values()])
  const missing: NonceTries[] = []
  for (const one of used) {
    const { index, tries } = one
    const found = tries.map(({ hash }) => receipts.get(hash)).find((each) => each !== undefined)
    if (found === undefined) missing.push(one)
    else {
      const block = blocks.get(found.blockHash)
      const observation = judge(lookout, { tries, found, block })
      if (observation !== undefined) observations.set(index, observation)
    }
  }
  for (let from = 0; from < missing.length; from += missingPerBatch)
    await Promise.all(
      missing.slice(from, from + missingPerBatch).map(async (one) => {
        const observation = await findReplacement(lookout, one)
        if (observation !== undefined) observations.set(one.index, observation)
      }),
    )
  return observations
}

async function readReceipts(
  { rpc }: UsdcChain,
  asked: readonly NonceTries[],
): Promise<Map<string, Receipt>> {
  const hashes = asked.flatMap(({ tries }) => tries.map(({ hash }) => hash))
  const answers = await askAll(
    rpc,
    hashes.map((hash) => ({
      method: 'eth_getTransactionReceipt',
      params: [hash],
      form: receipt().nullable(),
    })),
  )
  return new Map(
    hashes.flatMap((hash, i) => {
      const answer = answers[i]
      return answer ? [[hash, answer] as const] : []
    }),
  )
}

/**
 * Reads the receipts' blocks, by hash. The numbers of the blocks are checked last: if a block still has its number, it
 * was on the chain when its transfers were read.
 */
async function readBlocks(
  { chain: { rpc, token }, wallet }: Lookout,
  receipts: readonly Receipt[],
): Promise<Map<string, Block>> {
  const named = new Map(receipts.map(({ blockHash, blockNumber }) => [blockHash, blockNumber]))
  const [transfer] = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer' })
  const logs = await askEach(
    rpc,
    [...named.keys()].map((blockHash) => ({
      method: 'eth_getLogs',
      params: [{ blockHash, address: token, topics: [transfer, pad(wallet)] }],
      form: z.array(log()),
    })),
    blocksPerBatch,
  )
  const headers = await askAll(
    rpc,
    [...named.values()].map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [numberToHex(number), false],
      form: z.object({ hash: word() }).nullable(),
    })),
    blocksPerBatch,
  )
  return new Map(
    [...named.keys()].map((hash, i) => {
      const transfers = logs[i]
      return [
        hash,
        {
          hash: headers[i]?.hash,
          transfers:
            transfers !== undefined && 'result' in transfers ? transfers.result : undefined,
        },
      ]
    }),
  )
}

function judge(
  { chain, head, wallet, finality }: Lookout,
  {
    tries,
    found,
    block,
  }: { tries: readonly SignedPayment[]; found: Receipt; block: Block | undefined },
): Observation | undefined {
  const usdc = chain.token.toLowerCase()
  const payment = tries.find(({ hash }) => hash === found.transactionHash)
  if (payment === undefined) return contradiction('a receipt belongs to another transaction')
  // The block was replaced between two requests.
  if (block?.hash !== found.blockHash) return undefined
  if (block.transfers === undefined)
    throw unreachable(new Error('the node rejected the request for a block’s transfers'))
  if (found.from !== wallet || found.to !== usdc)
    return contradiction('a receipt names another sender or contract')
  const own = (logs: readonly Log[]) =>
    logs.filter((one) => isTransferOf(one, { payment, wallet, usdc }))
  const paid = own(found.logs).length
  if (paid !== own(block.transfers).length)
    return contradiction('a receipt and its block contradict each other')
  if (paid !== (found.status === 1n ? 1 : 0))
    return contradiction('a receipt’s status and its transfers do not agree')
  return {
    kind: 'mined',
    hash: payment.hash,
    paid: paid === 1,
    block: found.blockHash,
    depth: Math.max(1, head.block - Number(found.blockNumber) + 1),
    final: finality === 'settled' || (head.final?.block ?? -1) >= Number(found.blockNumber),
  }
}

/** Reports whether a log is the payment's transfer, with the same sender, recipient and amount. */
function isTransferOf(
  { address, topics, data, transactionHash, removed }: Log,
  { payment, wallet, usdc }: { payment: SignedPayment; wallet: Hex; usdc: string },
): boolean {
  const { hash, pays } = payment
  if (pays === null || removed || address !== usdc || transactionHash !== hash) return false
  const expected = encodeEventTopics({
    abi: erc20Abi,
    eventName: 'Transfer',
    args: { from: wallet, to: pays.to as Hex },
  })
  return (
    topics.length === expected.length &&
    topics.every((topic, i) => topic === String(expected[i]).toLowerCase()) &&
    /^0x[0-9a-f]{1,64}$/i.test(data) &&
    BigInt(data) === BigInt(pays.amount)
  )
}

function contradiction(why: string): Observation {
  return { kind: 'contradiction', why }
}
