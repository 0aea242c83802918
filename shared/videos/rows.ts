import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { shardOf } from '../platform/table/shard.ts'
import { videoState } from './state/move.ts'

/** How long a video, its file and what was asked for are kept, in days; the bucket's rule says the same. */
const keptDays = 30

const videoShards = 8

/** Every partition of the index that videos with something left to do are in. */
export const videoPartitions = Array.from({ length: videoShards }, (_, shard) => `videos#${shard}`)

/** A video that a user has ordered, kept 30 days; in the index until it is there or has failed. */
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
      /** The price and the hold; absent for a video that was ordered from an earlier release. */
      cost: z
        .object({
          model: z.string(),
          /** Its whole price; null if unknown. */
          usd: z.number().nullable(),
          /** The hold on the user's month with its expiry (epoch seconds); absent without a cap. */
          hold: z
            .object({
              key: z.object({ pk: z.string(), sk: z.string() }),
              microUsd: z.number(),
              expiry: z.number(),
            })
            .optional(),
          /** The API key that ordered it, if any. */
          keyId: z.string().optional(),
          keyName: z.string().optional(),
        })
        .optional(),
      /** Each message takes one; the turn that was begun last is the only one that writes. */
      turn: z.number(),
      /** ISO 8601. */
      createdAt: z.string(),
      /** When its user was last told something new, ISO 8601. */
      updatedAt: z.string(),
    }),
})

export type Video = z.output<ReturnType<typeof videoRows.declared.schema>>

/** The place in the index of a video that the tick is to look after from `at` (epoch milliseconds) on. */
export function dueIndex(jobId: string, at: number) {
  return {
    gsi1pk: `videos#${shardOf(jobId, videoShards)}`,
    gsi1sk: `${new Date(at).toISOString()}#${jobId}`,
  }
}

/** When a video that was ordered then is forgotten, in epoch seconds. */
export function forgottenAt(createdAt: number): number {
  return Math.floor(createdAt / 1000) + keptDays * 86_400
}

/** Where the platform's copy of a video is kept. */
export function fileOf(jobId: string): string {
  return `videos/${jobId}.mp4`
}
