/** Stored states, with the web surface's names: contract.md 7. */
export const agentStatuses = ['pending', 'provisioning', 'running', 'stopped', 'error'] as const
