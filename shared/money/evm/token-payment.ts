import { type Client, type Hex, parseAbiItem } from 'viem'
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
  const [used] = await logsSince(client, since, (range) =>
    getLogs(client, {
      address: asset,
      event: authorizationUsed,
      args: { authorizer: from, nonce },
      ...range,
    }),
  )
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
