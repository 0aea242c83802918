import type { Settings } from '../../platform/config/settings.ts'
import type { WatchdogSettings } from '../../watchdog/transition.ts'
import type { AgentContext } from '../context.ts'

/** What whoever works with an agent stands on. */
export interface ActivityContext extends AgentContext {
  config: Pick<Settings, 'KILL_SWITCH'> & WatchdogSettings
}

/** How long a caller waits for an agent that has to be woken. */
export interface Waiting {
  timeoutMs: number
  /** How long the agent is then kept awake at least; by default half a minute, renewed while the work goes on. */
  holdMs?: number | undefined
  /** Aborted when the caller leaves. */
  signal?: AbortSignal | undefined
}
