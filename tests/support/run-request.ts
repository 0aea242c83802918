import type { RunRequest } from '../../shared/platform/containers/port.ts'

/** What is asked of ECS to run an agent. */
export const runRequest = (changes: Partial<RunRequest> = {}): RunRequest => ({
  clientToken: 'token-1',
  startedBy: 'agt_1',
  family: 'agent-label',
  environment: { AGENT_GENERATION: '1' },
  tags: { agentId: 'agt_1' },
  ...changes,
})
