import type { Agent } from '../../../shared/agents/agent.ts'
import type { Table } from '../../../shared/platform/table/port.ts'
import type { AskBroker } from './ask-broker.ts'

/** The agent that asks; no tool takes the name of another. */
export interface OwnContext {
  table: Table
  agent: Agent
  seed: string
  broker: AskBroker
  summarizerUrl: string
  /** Proves to other functions of the platform for which agent they are called. */
  originSecret: string | undefined
  signal: AbortSignal
}
