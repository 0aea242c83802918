import type { AgentStatus } from './agent.ts'

/**
 * The moves of an agent. `start`: a new generation should run. `stop`: no generation should run. `healthy`: its task
 * runs and responds. `lost`: AWS reclaimed the task's host, and it will be started again. `fail`: the task ended or
 * could not start.
 */
export type AgentMove = 'start' | 'stop' | 'healthy' | 'lost' | 'fail'

/** contract.md 7, Moves. Other moves are ignored. */
const moves: Record<AgentStatus, Partial<Record<AgentMove, AgentStatus>>> = {
  pending: { start: 'provisioning', stop: 'stopped' },
  provisioning: {
    start: 'provisioning',
    stop: 'stopped',
    healthy: 'running',
    lost: 'provisioning',
    fail: 'error',
  },
  running: {
    start: 'provisioning',
    stop: 'stopped',
    healthy: 'running',
    lost: 'provisioning',
    fail: 'error',
  },
  stopped: { start: 'provisioning', stop: 'stopped' },
  error: { start: 'provisioning', stop: 'stopped', fail: 'error' },
}

/** Returns the state after a move. Undefined if the move is not allowed in this state. */
export function nextStatus(status: AgentStatus, move: AgentMove): AgentStatus | undefined {
  return moves[status][move]
}

/** Returns the backend surface's name of a state. Only `running` differs. */
export function backendStatus(status: AgentStatus): Exclude<AgentStatus, 'running'> | 'active' {
  return status === 'running' ? 'active' : status
}
