export interface Price {
  /** Millionths of a US dollar, a whole number. */
  price: number
  /** The cost of the tokens, in the same unit. */
  tokenCost: number
  /** From 0 to 100. */
  sharePercent: number
}

export interface Division {
  share: number
  net: number
  shortfall: number
}

/**
 * Divides the price of a sold answer: price + shortfall = net + share + tokenCost. The share is rounded down to a whole
 * millionth of a dollar. The owner never owes anything: if share and tokens exceed the price, the difference is
 * the shortfall.
 */
export function divide({ price, tokenCost, sharePercent }: Price): Division {
  // In integers, because the product can exceed the exact range of a number.
  const share = Number((BigInt(price) * BigInt(sharePercent)) / 100n)
  const rest = price - share - tokenCost
  return { share, net: Math.max(0, rest), shortfall: Math.max(0, -rest) }
}
