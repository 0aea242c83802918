/** What a transaction may cost at most: EIP-1559, in wei a unit of gas. */
export interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/**
 * The gas that a transfer may use. Circle's FiatTokenV2_2 behind its proxy takes about 45,000, and 62,000 for a
 * recipient that had no USDC (https://basescan.org/gastracker); what is not used is not paid.
 */
export const transferGas = 100_000n

/** What a transaction without data takes: Ethereum's yellow paper, G_transaction. */
export const plainGas = 21_000n

/** The most that is paid for a unit of gas, 200 gwei: a payment never costs more than 0.02 ETH. */
export const feeCap = 200n * 10n ** 9n

/** What a wallet needs beyond the gas: on Base a transaction also pays for its bytes on Ethereum. */
const reserve = { times: 11n, of: 10n }

/** Bids that a block takes although its base fee should double first: eight full blocks in a row do that. */
export function quote(baseFee: bigint, tip: bigint): Fees {
  return { maxFeePerGas: 2n * baseFee + tip, maxPriorityFeePerGas: tip }
}

/** A node takes a transaction in place of another only if it bids 10 % more in both; this is 25 %. */
export function raised(old: Fees, now: Fees): Fees {
  const more = (fee: bigint) => (fee * 5n + 3n) / 4n
  const maxPriorityFeePerGas = larger(more(old.maxPriorityFeePerGas), now.maxPriorityFeePerGas)
  const maxFeePerGas = larger(more(old.maxFeePerGas), now.maxFeePerGas)
  return { maxFeePerGas: larger(maxFeePerGas, maxPriorityFeePerGas), maxPriorityFeePerGas }
}

export function isAboveCap({ maxFeePerGas }: Fees): boolean {
  return maxFeePerGas > feeCap
}

/** The ETH that so many transfers take at most, in wei. */
export function gasFor(transfers: number, { maxFeePerGas }: Fees): bigint {
  return (BigInt(transfers) * transferGas * maxFeePerGas * reserve.times) / reserve.of
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
