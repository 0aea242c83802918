/** The specializations of clones: contract.md 7 and spec.md, Agents. */
export const specializations = [
  'general',
  'ar',
  'promo',
  'booking',
  'support',
  'analytics',
] as const

export type Specialization = (typeof specializations)[number]
