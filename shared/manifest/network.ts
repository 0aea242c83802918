/**
 * The number of agents that the network must support even if one zone is lost; for more agents, use another AWS
 * account.
 */
export const agentCapacity = 20_000

/**
 * Address ranges of each zone. Each agent uses one address of the public range; functions that reach agents share the
 * private range. A range in use can only be changed by replacing the resources in it.
 */
export const addressRanges = [
  { public: '10.0.0.0/18', private: '10.0.192.0/22' },
  { public: '10.0.64.0/18', private: '10.0.196.0/22' },
  { public: '10.0.128.0/18', private: '10.0.200.0/22' },
] as const

/** Address ranges of agents behind NAT gateways: a second range of the network, with a part for each zone. */
export const agentRangesBehindNat = {
  whole: '10.1.0.0/16',
  zones: ['10.1.0.0/18', '10.1.64.0/18', '10.1.128.0/18'],
} as const
