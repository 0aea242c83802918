import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { VideoProvider } from '../provider/port.ts'
import type { Video } from '../rows.ts'

/** The context of the verbs that make videos. */
export type VideoWorkContext = Pick<Context, 'table' | 'log'> &
  Sends<'videos' | 'webhook-deliveries'> &
  Can<'objectStore'> & {
    /** Undefined without its settings: an operator may remove them while videos are in progress. */
    provider: VideoProvider | undefined
  }

/** A video in its claimed turn. */
export type VideoLease = Pick<
  Video,
  'id' | 'userId' | 'turn' | 'createdAt' | 'cost' | 'seconds' | 'size'
>
