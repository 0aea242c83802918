import type * as z from 'zod'
import { notFound } from '#shared/platform/errors.ts'
import type { Redrive } from '#shared/platform/queues/redrive.ts'
import type { QueuesToWatch } from './queues.ts'
import type { redriven } from './schema.ts'

/** Returns a queue's URL. @throws PlatformError 404 */
function requireQueue({ urls }: QueuesToWatch, name: string): string {
  const url = Object.hasOwn(urls, name) ? urls[name] : undefined
  if (url === undefined) throw notFound('Queue')
  return url
}

/** Moves a queue's dead letters back to the queue. @throws PlatformError 404 for an unknown queue */
export async function redriveQueue(
  { watchedQueues, redrive }: { watchedQueues: QueuesToWatch; redrive: Redrive },
  { name }: { name: string },
): Promise<z.input<typeof redriven>> {
  const url = requireQueue(watchedQueues, name)
  const moved = await redrive(url)
  const { dead } = await watchedQueues.depthOf(url)
  return { name, moved, dead }
}
