/** A spend cap in USD. Undefined means no cap, which is higher than any cap. */
export type Cap = number | undefined

/** The fields of a config with spend caps, per calendar month and per day. */
export const spendCaps = ['spendCapUsd', 'spendCapUsdPerDay'] as const

/** Reads a cap from a config. */
export function readCap(value: unknown): Cap {
  return typeof value === 'number' ? value : undefined
}

/** True if `after` allows more spending than `before`. */
export function raisesCap(before: Cap, after: Cap): boolean {
  return before !== undefined && (after === undefined || after > before)
}

export function lowerCap(one: Cap, other: Cap): Cap {
  return raisesCap(one, other) ? one : other
}

export type SpendCaps = { [Name in (typeof spendCaps)[number]]?: number }

/** Returns the spend caps of a config. @param pick chooses each cap; default: the one in the config */
export function capsIn(
  config: Readonly<Record<string, unknown>>,
  pick: (cap: Cap, name: (typeof spendCaps)[number]) => Cap = (cap) => cap,
): SpendCaps {
  const caps = spendCaps.map((name) => [name, pick(readCap(config[name]), name)] as const)
  return Object.fromEntries(caps.filter(([, cap]) => cap !== undefined))
}
