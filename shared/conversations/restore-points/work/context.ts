import type { Part } from '#shared/agents/files/tree/entry.ts'
import type { Totals } from '#shared/agents/files/tree/tree.ts'
import type { AgentContext, AgentQueue, AgentSetting } from '#shared/agents/record/context.ts'
import type { QueueName } from '#shared/manifest/queues.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { PartialObjects } from '#shared/platform/objects/port.ts'
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

/** The context of the verbs that create an agent with initial data. */
export type BeginContext = RestoreWorkContext<'provisioning' | 'restore-points'> & {
  /** Absent if a caller creates only agents without files. */
  packs?: PartialObjects
  /** Unpacks the files of an archive. Absent in functions that only use files that are already stored. */
  unpackFiles?: (
    source: { key: string; agentId: string },
    goOn: () => Promise<void>,
  ) => Promise<(Totals & { root: Part }) | undefined>
}

/** The context of the job. */
export type RestoreJobContext = RestoreWorkContext & BeginContext
