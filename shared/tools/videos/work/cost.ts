import { eventId, type VideoEvent } from '#shared/ai/usage/event.ts'
import { monthOf } from '#shared/ai/usage/month.ts'
import { toMicroUsd } from '#shared/ai/usage/quota/micro-usd.ts'
import { quotaKey, type QuotaRow } from '#shared/ai/usage/quota/row.ts'
import { type Hold, settlement } from '#shared/ai/usage/quota/settlement.ts'
import { rowOwnerOf, rollupWrites } from '#shared/ai/usage/rollups.ts'
import { videoEventRows } from '#shared/ai/usage/rows.ts'
import { fromFloat } from '#shared/money/amounts/amount.ts'
import { newId } from '#shared/platform/ids.ts'
import { numbered, type Parts } from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { VideoLease } from './context.ts'

/** The provider's name in the usage of videos. VIDEO_API_URL is the only provider. */
const provider = 'video'

/**
 * Returns the holds that the end of a video changes: a charged video counts in the user's month also without a hold.
 */
export function holdsOf({ cost, userId, createdAt }: VideoLease, charged: boolean): Hold[] {
  if (cost === undefined) return []
  const key = quotaKey(userId, monthOf(Date.parse(createdAt)))
  const month = cost.hold ?? (charged ? { key, microUsd: 0, expiry: 0 } : undefined)
  const toHold = ({ microUsd, ...hold }: NonNullable<typeof month>): Hold =>
    Object.assign(hold, { amounts: { tokens: 0, microUsd } })
  return [...(month ? [month] : []), ...(cost.limits ?? [])].map(toHold)
}

/**
 * Returns the writes that settle the cost of a video. They release its holds. If the video is charged, they add its
 * price to the month and the limits of the order, and to today's usage.
 * @param holds of `holdsOf`
 * @param rows the rows of the holds; undefined for a row that was not read
 */
export function costParts(
  video: VideoLease,
  {
    holds,
    rows,
    charged,
    success,
  }: {
    holds: readonly Hold[]
    rows: readonly (QuotaRow | undefined)[]
    charged: boolean
    success: boolean
  },
  now = Date.now(),
): Parts {
  const { cost } = video
  if (cost === undefined) return {}
  const used = charged ? toMicroUsd(fromFloat('USD', cost.usd ?? 0, 'up')) : 0
  const settled = numbered(
    'hold',
    holds.map((hold, i): Write => {
      const { key, update } = settlement(hold, { tokens: 0, microUsd: used }, now, rows[i])
      return { update: key, ...update }
    }),
  )
  if (!charged) return settled
  const event = eventOf(video, cost, success, now)
  return {
    ...settled,
    usage: {
      put: videoEventRows.put({ userId: rowOwnerOf(event), eventId: event.id }, event),
      if: 'attribute_not_exists(pk)',
    },
    ...numbered('rollup', rollupWrites({ ...event, keyName: cost.keyName ?? null }, now)),
  }
}

function eventOf(
  { id, userId, createdAt, seconds, size }: VideoLease,
  { model, usd, keyId }: NonNullable<VideoLease['cost']>,
  success: boolean,
  now: number,
): VideoEvent {
  return {
    id: newId(eventId, id.slice(id.indexOf('_') + 1)),
    kind: 'video',
    userId,
    agentId: null,
    model,
    provider,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: usd,
    toolName: null,
    seconds: seconds ?? null,
    size: size ?? null,
    success,
    durationMs: Math.max(0, now - Date.parse(createdAt)),
    endpoint: '/api/generate-video',
    createdAt: isoOf(now),
    keyId: keyId ?? null,
  }
}
