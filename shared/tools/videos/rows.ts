import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'
import { videoState } from './state/move.ts'

/** The days that a video, its file and its order are stored; the bucket has the same rule. */
const retentionDays = 30

/** The index of unfinished videos. */
export const videosDue = dueIndex('videos', 8)

/**
 * A hold of the price on one row. `expiry` is when the hold ends, `expiresAt` when the row is deleted, both in epoch
 * seconds.
 */
const priceHold = () =>
  z.object({
    key: z.object({ pk: z.string(), sk: z.string() }),
    microUsd: z.number(),
    expiry: z.number(),
    expiresAt: z.number().optional(),
  })

/** A video that a user ordered, stored for 30 days. It is in the index until it is completed or has failed. */
export const videoRows = entity({
  name: 'video',
  id: 'job',
  count: 'openVideoCount',
  pk: 'user#{userId}',
  sk: 'video#{jobId}',
  gsi1: { pk: 'videos#{shard}', sk: '{due}#{jobId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      prompt: z.string(),
      seconds: z.number().optional(),
      size: z.string().optional(),
      state: videoState(),
      /** The price and the hold; absent for a video from an earlier release. */
      cost: z
        .object({
          model: z.string(),
          /** Its whole price; null if unknown. */
          usd: z.number().nullable(),
          /** The hold on the user's month; absent without a cap. */
          hold: priceHold().optional(),
          /**
           * The holds on the rows of the user's daily cap and of the API key's limits; absent without such limits, and
           * for a video from an earlier release.
           */
          limits: z.array(priceHold()).optional(),
          /** The API key that ordered it, if any. */
          keyId: z.string().optional(),
          keyName: z.string().optional(),
        })
        .optional(),
      /** Increases with each message. Only the latest turn may write. */
      turn: z.number(),
      /** ISO 8601. */
      createdAt: z.string(),
      /** When the status last changed for its user, ISO 8601. */
      updatedAt: z.string(),
    }),
})

export type Video = z.output<ReturnType<typeof videoRows.declared.schema>>

/** Returns when a video expires, in epoch seconds. */
export function videoExpiry(createdAt: number): number {
  return epochSeconds(createdAt) + retentionDays * 86_400
}

/** Returns the object key of the platform's copy. */
export function fileOf(jobId: string): string {
  return `videos/${jobId}.mp4`
}
