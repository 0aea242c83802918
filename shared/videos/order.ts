import { userCounter } from '../accounts/counter.ts'
import type { UserContext } from '../identity/context.ts'
import { isPaying, subscriptionRequired } from '../plans/subscriptions.ts'
import { PlatformError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { Queues } from '../platform/queues/port.ts'
import { insertCounted } from '../platform/table/insert-counted.ts'
import { userStore } from '../platform/table/user-store.ts'
import { requireVideos, type VideoAddress } from './configured.ts'
import { dueIndex, forgottenAt, type Video, videoRows } from './rows.ts'
import type { NewVideo } from './schema.ts'
import { videos } from './topic.ts'
import { firstDueMs } from './work/turn.ts'

/** Of one user at once. Each costs money at the provider, and a person watches one video at a time. */
export const openVideoLimit = 5

export interface OrderContext extends UserContext {
  queues: Queues<'videos'>
  config: VideoAddress
}

/**
 * Orders a video. With the same seed it is the same job. The order of the checks: contract.md 10.
 * @throws PlatformError 503 with what is missing, 402 SUBSCRIPTION_REQUIRED, 429 VIDEO_LIMIT_REACHED
 */
export async function orderVideo(ctx: OrderContext, input: NewVideo): Promise<{ jobId: string }> {
  requireVideos(ctx.config)
  const { user } = ctx.actor
  if (!user.isAdmin && !isPaying(user.subscription.status)) throw subscriptionRequired()
  const userId = user.id
  const jobId = newId(videoRows.id, ctx.seed)
  const now = Date.now()
  const at = new Date(now).toISOString()
  const video: Video = {
    id: jobId,
    userId,
    ...input,
    state: { step: 'wanted', tries: 0 },
    turn: 0,
    createdAt: at,
    updatedAt: at,
  }
  await insertCounted(userStore(ctx.table, userId), {
    put: videoRows.put({ userId, jobId }, video, {
      ...dueIndex(jobId, now + firstDueMs),
      expiresAt: forgottenAt(now),
    }),
    count: userCounter(userId, videoRows, openVideoLimit),
    limitReached,
  })
  // Of a repeat this is the same turn, which is taken once.
  await ctx.queues.send(videos, { userId, jobId, turn: 1 })
  return { jobId }
}

function limitReached(): PlatformError {
  const message = `You have ${openVideoLimit} videos under way; order the next when one is done`
  return new PlatformError('too-many-requests', message, {
    code: 'VIDEO_LIMIT_REACHED',
    details: { current: openVideoLimit, limit: openVideoLimit },
    headers: { 'Retry-After': '30' },
  })
}
