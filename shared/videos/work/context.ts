import type { Log } from '../../platform/log.ts'
import type { ObjectStore } from '../../platform/objects/port.ts'
import type { Queues } from '../../platform/queues/port.ts'
import type { Table } from '../../platform/table/port.ts'
import type { VideoProvider } from '../provider/port.ts'
import type { Video } from '../rows.ts'

export interface WorkContext {
  table: Table
  queues: Queues<'videos' | 'webhook-deliveries'>
  /** Absent without its settings: an operator may take them away while videos are made. */
  provider: VideoProvider | undefined
  objects: ObjectStore
  log: Log
}

/** What speaks with the provider. */
export interface ProviderContext extends WorkContext {
  provider: VideoProvider
}

/** A video with the turn that was taken for it. */
export type Turn = Pick<Video, 'id' | 'userId' | 'turn' | 'createdAt' | 'cost' | 'seconds' | 'size'>
