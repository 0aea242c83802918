import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentQueue } from '#shared/agents/record/context.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'
import type { AsksTogether } from '../task-states/ask.ts'
import type { probe, Traffic } from './probe.ts'
import type { Check } from './topic.ts'

/** The context of the watchdog's verbs. */
export type WatchdogContext = AgentContext<AgentQueue | 'checks' | 'notices' | 'task-states'> &
  AsksTogether &
  WatchdogWork

interface WatchdogWork {
  settings: WatchdogSettings
  /** Syncs a running agent with its workspace in the table. Present only in functions that reach containers. */
  syncWorkspace?(agent: Agent): Promise<void>
  /** Requests that an agent's channel for Telegram gets the token of its config, if it lacks it. */
  askForChannel?(agent: Agent): Promise<void>
  /** Counts the sent bytes and the output that the agent's container reports. */
  noteTraffic?(agent: Agent, traffic: Traffic, now: number): Promise<void>
  /** Probes a container's health. Default: by HTTP. */
  probe?: typeof probe
  /**
   * Collects the follow-up checks of several agents to send them together.
   * @param after seconds
   */
  checkLater?(check: Check, after: number): Promise<void>
}
