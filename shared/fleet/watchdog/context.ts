import type { Agent } from '../../agents/agent.ts'
import type { AgentContext } from '../../agents/context.ts'
import type { WatchdogSettings } from '../../watchdog/settings.ts'

/** What the watchdog's verbs need. */
export interface WatchdogContext extends AgentContext<'provisioning' | 'checks' | 'notices'> {
  settings: WatchdogSettings
  /** Brings an agent that answers and its workspace in the table together; only what reaches containers can. */
  syncWorkspace?(agent: Agent): Promise<void>
}
