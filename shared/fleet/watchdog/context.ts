import type { Agent } from '../../agents/agent.ts'
import type { AgentContext, AgentQueue } from '../../agents/context.ts'
import type { AskContext } from '../task-states/ask.ts'
import type { probe } from './probe.ts'
import type { Check } from './topic.ts'
import type { WatchdogSettings } from '../../watchdog/settings.ts'

/** What the watchdog's verbs need. */
export interface WatchdogContext extends AgentContext<
  AgentQueue | 'checks' | 'notices' | 'task-states'
> {
  settings: WatchdogSettings
  /** Brings an agent that answers and its workspace in the table together; only what reaches containers can. */
  syncWorkspace?(agent: Agent): Promise<void>
  /** How a container is asked whether it is well; default: by HTTP. */
  probe?: typeof probe
  /** Gathers checks that follow from checks, so that those of several agents go together. @param after seconds */
  checkLater?(check: Check, after: number): Promise<void>
  askTogether?: AskContext['askTogether']
}
