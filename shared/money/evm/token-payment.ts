import { type Client, type Hex, isHash, parseAbiItem } from 'viem'
import { getBlock, getLogs } from 'viem/actions'
import { chainClient, reported, type Rpc } from './client.ts'

const authorizationUsed = parseAbiItem(
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
)

const transfer = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** The number of blocks in one query: every known public node allows at least a thousand. */
const blocksPerQuery = 1000n

/** The maximum number of seconds that a chain's clock may be behind the platform's. */
const skewSeconds = 300

/** A payment by an authorization of EIP-3009. */
export interface TokenPayment {
  asset: Hex
  from: Hex
  to: Hex
  /** In the token's smallest unit. */
  value: bigint
  nonce: Hex
}

/**
 * Returns whether an authorization was used for its payment, according to the chain's logs: the token logs the transfer
 * right after the use of the nonce. A nonce that was cancelled, or used for another transfer, does not prove the
 * payment.
 * @param since epoch seconds: the nonce was unused before
 * @throws PlatformError 503
 */
export async function hasPaid(
  rpc: Rpc,
  { asset, from, to, value, nonce }: TokenPayment,
  since: number,
): Promise<boolean> {
  const client = chainClient(rpc)
  const used = await useOf(client, { asset, from, nonce }, since)
  if (used === undefined) return false
  const { blockNumber, logIndex } = used
  const transfers = await reported(
    getLogs(client, {
      address: asset,
      event: transfer,
      args: { from, to },
      fromBlock: blockNumber,
      toBlock: blockNumber,
    }),
  )
  return transfers.some((log) => log.logIndex === logIndex + 1 && log.args.value === value)
}

/**
 * Returns the hash of the transaction that used an authorization; undefined if no log shows it.
 * @param since epoch seconds: the nonce was unused before
 * @throws PlatformError 503
 */
export async function authorizationTransaction(
  rpc: Rpc,
  authorization: Pick<TokenPayment, 'asset' | 'from' | 'nonce'>,
  since: number,
): Promise<Hex | undefined> {
  const used = await useOf(chainClient(rpc), authorization, since)
  const hash: Hex | null | undefined = used?.transactionHash
  return hash && isHash(hash) ? hash : undefined
}

/** Returns the log of the use of an authorization. */
async function useOf(
  client: Client,
  { asset, from, nonce }: Pick<TokenPayment, 'asset' | 'from' | 'nonce'>,
  since: number,
) {
  const [used] = await logsSince(client, since, (range) =>
    getLogs(client, {
      address: asset,
      event: authorizationUsed,
      args: { authorizer: from, nonce },
      ...range,
    }),
  )
  return used
}

interface Range {
  fromBlock: bigint
  toBlock: bigint
}

/** Returns the first matching logs, from the newest block back to the blocks of `since`. */
async function logsSince<T>(
  client: Client,
  since: number,
  read: (range: Range) => Promise<T[]>,
): Promise<T[]> {
  const latest = await reported(getBlock(client))
  for (let toBlock = latest.number; ; toBlock -= blocksPerQuery) {
    const fromBlock = toBlock < blocksPerQuery ? 0n : toBlock - blocksPerQuery + 1n
    const [logs, first] = await reported(
      Promise.all([read({ fromBlock, toBlock }), getBlock(client, { blockNumber: fromBlock })]),
    )
    const isLast = fromBlock === 0n || Number(first.timestamp) < since - skewSeconds
    if (logs.length > 0 || isLast) return logs
  }
}
