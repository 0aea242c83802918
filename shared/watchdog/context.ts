import type { AgentContext } from '../agents/context.ts'
import type { WatchdogSettings } from './transition.ts'

/** What the watchdog's verbs stand on. */
export interface WatchdogContext extends AgentContext {
  settings: WatchdogSettings
}
