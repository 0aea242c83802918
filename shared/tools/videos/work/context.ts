import type { Log } from '#shared/platform/log.ts'
import type { ObjectStore } from '#shared/platform/objects/port.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { VideoProvider } from '../provider/port.ts'
import type { Video } from '../rows.ts'

export interface VideoWorkContext {
  table: Table
  queues: Queues<'videos' | 'webhook-deliveries'>
  /** Undefined without its settings: an operator may remove them while videos are in progress. */
  provider: VideoProvider | undefined
  objects: ObjectStore
  log: Log
}

/** The context of a call to the provider. */
export interface ProviderContext extends VideoWorkContext {
  provider: VideoProvider
}

/** A video in its claimed turn. */
export type VideoLease = Pick<
  Video,
  'id' | 'userId' | 'turn' | 'createdAt' | 'cost' | 'seconds' | 'size'
>
