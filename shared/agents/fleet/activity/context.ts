import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import type { Settings } from '#shared/platform/config/settings.ts'

/** The context of the verbs that work with an agent. */
export interface ActivityContext extends AgentContext<'provisioning'> {
  config: Pick<Settings, 'ADMIN_EMAILS' | 'KILL_SWITCH'> & { deployed: boolean }
}

/** The agent to wait for, and how long to keep it awake. */
export interface Waiting {
  /** The agent as the caller last read it. */
  agent: Agent
  timeoutMs: number
  /** The minimum time that the agent is kept awake, in milliseconds. Default: half a minute, renewed during the work. */
  holdMs?: number | undefined
  /** Aborted when the caller disconnects. */
  signal?: AbortSignal | undefined
}
