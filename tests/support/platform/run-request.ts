import type { RunRequest } from '#shared/platform/containers/port.ts'

/** Returns a request to ECS that starts an agent's task. */
export const runRequest = (changes: Partial<RunRequest> = {}): RunRequest => ({
  clientToken: 'token-1',
  startedBy: 'agt_1',
  family: 'agent-label',
  environment: { AGENT_GENERATION: '1' },
  tags: { agentId: 'agt_1' },
  ...changes,
})
