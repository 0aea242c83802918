import type { Agent } from '#shared/agents/record/agent.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { AskBroker } from './ask-broker.ts'
import type { AskFiles } from './ask-files.ts'

/** The calling agent. No tool accepts the id of another agent. */
export type AgentCaller = Pick<Context, 'table' | 'log' | 'seed'> & {
  agent: Agent
  /** The agent's session of the call. */
  session: string
  broker: AskBroker
  summarizerUrl: string
  /** The secret for the proof that a call to another function is on behalf of this agent. */
  originSecret: string | undefined
  signal: AbortSignal
  files: AskFiles
}
