import type * as z from 'zod'
import type { DepthOf } from '../platform/queues/depth.ts'
import type { queueList } from './schema.ts'

export interface QueuesToWatch {
  depthOf: DepthOf
  /** Every queue's URL, by the queue's name. */
  urls: Readonly<Record<string, string>>
}

/** How much waits in every queue, and how much has failed for good; those with dead letters first, then the fullest. */
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
