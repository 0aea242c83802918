import type * as z from 'zod'
import type { DepthOf } from '#shared/platform/queues/depth.ts'
import type { queueList } from './schema.ts'

export interface QueuesToWatch {
  depthOf: DepthOf
  /** Every queue's URL, by the queue's name. */
  urls: Readonly<Record<string, string>>
}

/** Returns the depth of every queue and dead-letter queue; queues with dead letters first, then by depth. */
export async function queueDepths({
  depthOf,
  urls,
}: QueuesToWatch): Promise<z.input<typeof queueList>> {
  const queues = await Promise.all(
    Object.entries(urls).map(async ([name, url]) => Object.assign({ name }, await depthOf(url))),
  )
  return {
    queues: queues.sort(
      (a, b) => b.dead - a.dead || b.waiting - a.waiting || (a.name < b.name ? -1 : 1),
    ),
  }
}
