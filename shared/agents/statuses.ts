/** Stored states, in the web surface's words: contract.md 7. */
export const agentStatuses = ['pending', 'provisioning', 'running', 'stopped', 'error'] as const
