import type { AgentStatus } from './agent.ts'

/**
 * What moves an agent. `start`: a new generation is wanted. `stop`: none is. `healthy`: its task runs and answers.
 * `lost`: the host under its task went away, and it will be started again. `fail`: it ended or could not start.
 */
export type Move = 'start' | 'stop' | 'healthy' | 'lost' | 'fail'

/** contract.md 7, Moves: what is not here does not happen. */
const moves: Record<AgentStatus, Partial<Record<Move, AgentStatus>>> = {
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

/** The state that a move leads to, or undefined where it is none of this state's. */
export function moved(status: AgentStatus, move: Move): AgentStatus | undefined {
  return moves[status][move]
}

/** What the backend surface calls a state; the others are called the same on both. */
export function backendStatus(status: AgentStatus): Exclude<AgentStatus, 'running'> | 'active' {
  return status === 'running' ? 'active' : status
}
