import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'

/** The context of the verbs that work with an agent. */
export type ActivityContext = AgentContext<'provisioning'> &
  Reads<'ADMIN_EMAILS' | 'KILL_SWITCH' | 'deployed'>

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
