import type { AgentQueue, AgentServices } from '#shared/agents/record/context.ts'
import type { Log } from '#shared/platform/log.ts'
import type { WholeObjects } from '#shared/platform/objects/port.ts'
import type { SnapshotContent } from '../content.ts'
import type { Restore } from '../rows.ts'

/** The context to create an agent with initial data. */
export interface BeginContext extends AgentServices<'provisioning'> {
  objects: WholeObjects
  log: Log
}

/** The context of the restore points' consumer. */
export interface RestoreWorkContext extends AgentServices<AgentQueue | 'restore-points'> {
  objects: WholeObjects
  log: Log
}

/** A restore in progress, with its content. */
export interface RestoreWork {
  restore: Restore
  given: SnapshotContent
  /**
   * Called between steps.
   * @throws if another process has taken over
   */
  goOn(): Promise<void>
}
