import type { AgentDetail } from '../../../clients/typescript/index.ts'

/** What each of an agent's tabs is given. */
export interface TabProps {
  agent: AgentDetail
  /** Looks at the agent again at once. */
  reload(): void
}
