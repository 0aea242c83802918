import type { Agent } from '#shared/agents/record/agent.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { AskBroker } from './ask-broker.ts'

/** The calling agent. No tool takes another agent's id. */
export type AgentCaller = Pick<Context, 'table' | 'seed'> & {
  agent: Agent
  broker: AskBroker
  summarizerUrl: string
  /** The secret that proves to the platform's other functions which agent they are called for. */
  originSecret: string | undefined
  signal: AbortSignal
}
