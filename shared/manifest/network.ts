/** How many agents must fit at a time, whichever zone is lost; for more, a further AWS account is the better way. */
export const agentCapacity = 20_000

/**
 * Addresses of each zone: agents take one each in the public range, functions that reach agents share the private one.
 * A range that is in use cannot be changed without replacing what lives in it.
 */
export const addressRanges = [
  { public: '10.0.0.0/18', private: '10.0.192.0/22' },
  { public: '10.0.64.0/18', private: '10.0.196.0/22' },
  { public: '10.0.128.0/18', private: '10.0.200.0/22' },
] as const

/** Agents' addresses where they share those of NAT gateways: a second range of the network, with a part for each zone. */
export const agentRangesBehindNat = {
  whole: '10.1.0.0/16',
  zones: ['10.1.0.0/18', '10.1.64.0/18', '10.1.128.0/18'],
} as const
