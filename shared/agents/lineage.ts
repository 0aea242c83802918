/** contract.md 7 and spec.md, Agents: what a clone is for. */
export const specializations = [
  'general',
  'ar',
  'promo',
  'booking',
  'support',
  'analytics',
] as const

export type Specialization = (typeof specializations)[number]
