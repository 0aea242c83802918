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
  /** The key between the platform's functions. Agents never see it. */
  internalKey: string | undefined
  signal: AbortSignal
}
