/** The maximum fees of a transaction: EIP-1559, in wei per unit of gas. */
export interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/**
 * The gas limit of a transfer. A transfer with Circle's FiatTokenV2_2 behind its proxy uses about 45,000, or 62,000 for
 * a recipient without USDC (https://basescan.org/gastracker). Unused gas is not paid.
 */
export const transferGas = 100_000n

/** The gas of a transaction without data: Ethereum's yellow paper, G_transaction. */
export const plainGas = 21_000n

/** The maximum price of a unit of gas, 200 gwei: a payment never costs more than 0.02 ETH. */
const feeCap = 200n * 10n ** 9n

/** A margin of 10 %: on Base a transaction also pays for its bytes on Ethereum. */
const reserve = { times: 11n, of: 10n }

/** Returns fees that stay sufficient if the base fee doubles, which can happen within eight full blocks. */
export function quote(baseFee: bigint, tip: bigint): Fees {
  return { maxFeePerGas: 2n * baseFee + tip, maxPriorityFeePerGas: tip }
}

/**
 * Returns the fees of a replacement. A node accepts a replacement only if both fees are 10 % higher; this function
 * raises them by 25 %.
 */
export function raisedFees(old: Fees, now: Fees): Fees {
  const more = (fee: bigint) => (fee * 5n + 3n) / 4n
  const maxPriorityFeePerGas = larger(more(old.maxPriorityFeePerGas), now.maxPriorityFeePerGas)
  const maxFeePerGas = larger(more(old.maxFeePerGas), now.maxFeePerGas)
  return { maxFeePerGas: larger(maxFeePerGas, maxPriorityFeePerGas), maxPriorityFeePerGas }
}

export function isAboveCap({ maxFeePerGas }: Fees): boolean {
  return maxFeePerGas > feeCap
}

/** Returns the maximum cost of a number of transfers, in wei. */
export function gasFor(transfers: number, { maxFeePerGas }: Fees): bigint {
  return (BigInt(transfers) * transferGas * maxFeePerGas * reserve.times) / reserve.of
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
