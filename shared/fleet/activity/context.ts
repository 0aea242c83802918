import type { Settings } from '../../platform/config/settings.ts'
import type { Agent } from '../../agents/agent.ts'
import type { AgentContext } from '../../agents/context.ts'

/** What the verbs that work with an agent need. */
export interface ActivityContext extends AgentContext<'provisioning'> {
  config: Pick<Settings, 'ADMIN_EMAILS' | 'KILL_SWITCH'> & { deployed: boolean }
}

/** Which agent a caller waits for, and how long where it has to be woken. */
export interface Waiting {
  /** As the caller saw it. */
  agent: Agent
  timeoutMs: number
  /** How long the agent is then kept awake at least; by default half a minute, renewed while the work goes on. */
  holdMs?: number | undefined
  /** Aborted when the caller leaves. */
  signal?: AbortSignal | undefined
}
