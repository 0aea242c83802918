import type { Agent } from '#shared/agents/record/agent.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { AskBroker } from './ask-broker.ts'

/** The calling agent. No tool takes another agent's id. */
export interface OwnContext {
  table: Table
  agent: Agent
  seed: string
  broker: AskBroker
  summarizerUrl: string
  /** The secret that proves to the platform's other functions which agent they are called for. */
  originSecret: string | undefined
  signal: AbortSignal
}
