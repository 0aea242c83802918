import type { AgentQueue, AgentServices } from '../../agents/context.ts'
import type { KeptObjects } from '../../platform/objects/port.ts'
import type { Log } from '../../platform/log.ts'
import type { Content } from '../content.ts'
import type { Restore } from '../rows.ts'

/** What it takes to make an agent that has something from the beginning. */
export interface BeginContext extends AgentServices<'provisioning'> {
  objects: KeptObjects
  log: Log
}

/** What the consumer of restore points needs. */
export interface WorkContext extends AgentServices<AgentQueue | 'restore-points'> {
  objects: KeptObjects
  log: Log
  seed: string
}

/** A restore that a process is at, and what the agent is to become. */
export interface Work {
  restore: Restore
  given: Content
  /** Asked between steps. @throws where another process goes on instead */
  goOn(): Promise<void>
}
