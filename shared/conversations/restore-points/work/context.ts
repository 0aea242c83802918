import type { AgentContext, AgentQueue, AgentSetting } from '#shared/agents/record/context.ts'
import type { QueueName } from '#shared/manifest/queues.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { SnapshotContent } from '../content.ts'
import type { Restore } from '../rows.ts'
import type { SyncsFiles } from '../store-snapshot.ts'

/** The context of the verbs that create and restore snapshots. @typeParam Queue the queues that a verb sends to */
export type RestoreWorkContext<Queue extends QueueName = AgentQueue | 'restore-points'> =
  AgentContext<Queue> & Pick<Context, 'log'> & Reads<AgentSetting> & Can<'objects'> & SyncsFiles

/** A restore in progress, with its content. */
export interface RestoreWork {
  restore: Restore
  content: SnapshotContent
  /**
   * Called between steps.
   * @throws if another process has taken over
   */
  goOn(): Promise<void>
}
