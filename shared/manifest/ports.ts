/** The default ports of a stack on one machine, on loopback: contract.md 1. */
export const localPorts = {
  web: 3000,
  backend: 3001,
  summarizer: 3100,
  agents: 3002,
  payments: 3003,
  mail: 3004,
} as const
