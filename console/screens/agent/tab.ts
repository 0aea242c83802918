import type { AgentDetail } from '../../../clients/typescript/index.ts'

/** The properties of an agent's tabs. */
export interface TabProps {
  agent: AgentDetail
  /** Reloads the agent immediately. */
  reload(): void
}
