import { userCounter } from '#shared/accounts/users/counter.ts'
import { holdPrice, type PriceHold } from '#shared/ai/usage/quota/price-hold.ts'
import { dailyLimit, keySpendLimits } from '#shared/ai/usage/quota/spend-limit.ts'
import { amountOf, toNumber } from '#shared/money/amounts/amount.ts'
import { monthlyCap, type PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { isPaying, subscriptionRequired } from '#shared/money/plans/subscriptions.ts'
import { limitReached, PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { requireVideos, type VideoAddress } from './configured.ts'
import { priced, type VideoShape } from './price.ts'
import { videoExpiry, type Video, videoRows, videosDue } from './rows.ts'
import type { NewVideo } from './schema.ts'
import { videos } from './topic.ts'
import { lostMs } from './work/lease.ts'

/**
 * The maximum number of open videos of a user. Each costs money at the provider, and a person watches one video at a
 * time.
 */
const openVideoLimit = 5

/**
 * The maximum duration of a hold: a video fails after two hours, and its copy takes at most a quarter of an hour. An
 * older hold was left by a crash.
 */
const slotSeconds = 3 * 3600

/**
 * Orders a video. The same transaction holds its price against the monthly and daily caps of its user and the limits of
 * the API key. The same seed creates the same job. The order of the checks: contract.md 10.
 * @throws PlatformError 503 with the missing settings, 402 SUBSCRIPTION_REQUIRED, 403 MODEL_RESTRICTED, 403
 * MODEL_UNPRICED, 429 SPEND_CAP_REACHED, 429 VIDEO_LIMIT_REACHED
 */
export async function orderVideo(
  ctx: UserContext &
    Sends<'videos'> & { config: VideoAddress & { VIDEO_MODEL: string }; planCaps: PlanCaps },
  input: NewVideo,
): Promise<{ jobId: string }> {
  requireVideos(ctx.config)
  const {
    actor: { user },
    owner,
  } = ctx
  if (!user.isAdmin && !isPaying(user.subscription.status)) throw subscriptionRequired()
  const model = ctx.config.VIDEO_MODEL
  const { keyId, keyName, keyLimits = {} } = user
  if (keyLimits.models?.includes(model) === false) throw restricted(model)
  const { price, ...shape } = priced(model, input)
  const cap = monthlyCap(user.spendCapUsd, user.isAdmin ? undefined : ctx.planCaps[user.plan])
  const spendLimits = [
    ...dailyLimit('user', owner, user.spendCapUsdPerDay),
    ...(keyId === undefined ? [] : keySpendLimits(keyId, keyLimits)),
  ]
  const isCapped = cap !== null || spendLimits.length > 0
  if (isCapped && price === undefined) throw unpriced(model, shape)
  const jobId = newId(videoRows.id, ctx.seed)
  const now = Date.now()
  const at = isoOf(now)
  const video: Video = {
    id: jobId,
    userId: owner,
    ...input,
    // The hold covers the price of this length and size, so the provider must not choose others.
    ...(isCapped && shape),
    state: { step: 'wanted', tries: 0 },
    turn: 0,
    createdAt: at,
    updatedAt: at,
  }
  const request = { userId: owner, plan: user.plan, cap, spendLimits, seconds: slotSeconds }
  const { month, limits } = holdPrice(ctx, { ...request, price: price ?? amountOf('USD', 0n) }, now)
  const holds = [...(month ? [month] : []), ...limits]
  const cost = {
    model,
    usd: price === undefined ? null : toNumber(price),
    ...(month && { hold: storedHold(month) }),
    ...(limits.length > 0 && { limits: limits.map(storedHold) }),
    ...(keyId !== undefined && { keyId, ...(keyName !== undefined && { keyName }) }),
  }
  const insert = () =>
    insertCounted(userStore(ctx.table, owner), {
      put: videoRows.put(
        { userId: owner, jobId },
        { ...video, cost },
        {
          ...videosDue.at(jobId, now + lostMs),
          expiresAt: videoExpiry(now),
        },
      ),
      count: userCounter(owner, videoRows, openVideoLimit),
      also: numbered(
        'hold',
        holds.map(({ write }) => write),
      ),
      errors: Object.fromEntries(
        holds.map((hold, i) => [`hold${i}`, (row?: Item) => new PriceRefused(hold, row)]),
      ),
      limitReached: videoLimitReached,
    })
  const tryInsert = async (): Promise<unknown> =>
    insert().catch(async (error: unknown) => {
      if (!(error instanceof PriceRefused)) throw error
      await error.hold.makeRoom(error.row)
      return tryInsert()
    })
  await tryInsert()
  // A retry sends the same turn, which is claimed once.
  await ctx.queues.send(videos, { userId: owner, jobId, turn: 1 })
  return { jobId }
}

/** A row refused the hold of the price. `row` is the row that was read. */
class PriceRefused extends Error {
  readonly hold: PriceHold
  readonly row: Item | undefined

  constructor(hold: PriceHold, row: Item | undefined) {
    super('a limit has no room for the price')
    this.hold = hold
    this.row = row
  }
}

function storedHold({ hold: { key, amounts, expiry, expiresAt } }: PriceHold) {
  return {
    key,
    microUsd: amounts.microUsd,
    expiry,
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

function restricted(model: string): PlatformError {
  return new PlatformError(
    'forbidden',
    `Videos are made with ${model}, which is not a model of the API key`,
    { code: 'MODEL_RESTRICTED' },
  )
}

function unpriced(model: string, { size }: VideoShape): PlatformError {
  const what = size === undefined ? model : `${model} in ${size}`
  return new PlatformError(
    'forbidden',
    `A spend cap is set, and the price of ${what} is unknown: choose a size with a price, or clear the cap`,
    { code: 'MODEL_UNPRICED', details: { param: 'size' } },
  )
}

function videoLimitReached(): PlatformError {
  const message = `You have ${openVideoLimit} videos in progress; order the next one when one is done`
  return limitReached('VIDEO_LIMIT_REACHED', message, {
    kind: 'too-many-requests',
    limit: openVideoLimit,
    headers: { 'Retry-After': '30' },
  })
}
