import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { profileKey } from '#shared/accounts/users/user.ts'
import { quotaKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { userRollupRows, videoEventRows } from '#shared/ai/usage/rows.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userPartition, userStore } from '#shared/platform/table/user-store.ts'
import { cancelVideo } from '#shared/tools/videos/cancel.ts'
import { hangUp, json } from '#tests/support/tools/video-provider.ts'
import { startVideos, type VideoWorld } from '#tests/support/tools/videos.ts'

let world: VideoWorld

beforeAll(async () => {
  world = await startVideos()
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-10T12:00:00Z') })
  world.provider.behave({})
  world.sent.length = 0
})
afterEach(() => vi.useRealTimers())
afterAll(() => world.close())

/** Four seconds of `sora-2`. */
const price = 400_000

async function capped(usd: number | undefined) {
  const user = await world.newUser()
  if (usd !== undefined) await setCap(user.id, usd)
  return user
}

const setCap = (userId: string, spendCapUsd: number) =>
  world.table.update({ pk: userPartition(userId), sk: profileKey }, { set: { spendCapUsd } })

const order = (session: string, body: Record<string, unknown> = {}) =>
  world.call('POST', '/api/generate-video', { session, body: { prompt: 'a cat', ...body } })

async function monthOf(userId: string) {
  const { used, committed, held } = toQuota(
    await world.table.get(quotaKey(userId, '2026-11')),
  ).microUsd
  return { used, committed, held: [...held.values()].reduce((sum, one) => sum + one, 0) }
}

const eventsOf = async (userId: string) => {
  const store = userStore(world.table, userId)
  const items = await allItems((from) =>
    store.query({ beginsWith: videoEventRows.prefix(), ...from }),
  )
  return items.map((item) => videoEventRows.parse(item))
}

describe('a video under a spend cap', () => {
  it('is rejected if its price exceeds the cap, even for forty concurrent orders', async () => {
    const { id, session } = await capped(0.01)
    const answers = await Promise.all(Array.from({ length: 40 }, () => order(session)))
    for (const { status, body } of answers)
      expect([status, body]).toMatchObject([
        429,
        {
          code: 'SPEND_CAP_REACHED',
          spentUsd: 0,
          capUsd: 0.01,
          resetsAt: '2026-12-01T00:00:00.000Z',
        },
      ])
    expect([world.provider.taken.length, world.sent.length]).toEqual([0, 0])
    expect(await monthOf(id)).toEqual({ used: 0, committed: 0, held: 0 })
  })

  it('is created as often as its price fits, and counts in the month and the usage', async () => {
    const { id, session } = await capped(1)
    const answers = await Promise.all(Array.from({ length: 5 }, () => order(session)))
    const made = answers.filter(({ status }) => status === 202)
    expect(made).toHaveLength(2)
    expect(await monthOf(id)).toEqual({ used: 0, committed: 2 * price, held: 2 * price })
    for (const { body } of made) await world.until(session, String(body.jobId))
    expect(await monthOf(id)).toEqual({ used: 2 * price, committed: 2 * price, held: 0 })
    expect(await eventsOf(id)).toMatchObject(
      Array.from({ length: 2 }, () => ({
        kind: 'video',
        model: 'sora-2',
        costUsd: 0.4,
        seconds: 4,
        size: '720x1280',
        success: true,
      })),
    )
    const [rollup] = await allItems((from) =>
      userStore(world.table, id).query({ beginsWith: userRollupRows.prefix(), ...from }),
    )
    expect(rollup && userRollupRows.parse(rollup)).toMatchObject({ calls: 2, costUsd: 0.8 })
    const exactly = await order(session, { seconds: 2 })
    expect(exactly.status).toBe(202)
  })

  it('is ordered with the priced seconds and size', async () => {
    const { session } = await capped(5)
    const { body } = await order(session, { prompt: 'priced', seconds: 12, size: '1280x720' })
    await world.until(session, String(body.jobId))
    const plain = await order(session, { prompt: 'by default' })
    await world.until(session, String(plain.body.jobId))
    expect([
      ...world.provider.takenOf('priced'),
      ...world.provider.takenOf('by default'),
    ]).toMatchObject([
      { body: { seconds: '12', size: '1280x720' } },
      { body: { seconds: '4', size: '720x1280' } },
    ])
  })

  it('returns 403 without a known price, which is only allowed without a cap', async () => {
    const { id, session } = await world.newUser()
    const { status, body } = await order(session, { size: '1920x1080' })
    expect(status).toBe(202)
    await world.until(session, String(body.jobId))
    expect(await eventsOf(id)).toMatchObject([{ costUsd: null, size: '1920x1080' }])
    await setCap(id, 100)
    expect(await order(session, { size: '1920x1080' })).toMatchObject({
      status: 403,
      body: { code: 'MODEL_UNPRICED' },
    })
  })

  it('releases the hold of a crashed process after three hours', async () => {
    const { id, session } = await capped(0.4)
    expect((await order(session)).status).toBe(202)
    // The message is lost and no tick follows.
    world.sent.length = 0
    expect((await order(session)).status).toBe(429)
    vi.setSystemTime(Date.now() + 3.5 * 3_600_000)
    expect((await order(session)).status).toBe(202)
    expect(await monthOf(id)).toEqual({ used: 0, committed: price, held: price })
  })

  it('counts against the operator’s cap of the plan, which a user can lower only', async () => {
    const { id, session } = await capped(100)
    await world.table.update(
      { pk: userPartition(id), sk: profileKey },
      { set: { plan: 'network' } },
    )
    const call = world.startProcess({ planCaps: { network: 0.5 } })
    const orderThere = () =>
      call('POST', '/api/generate-video', { session, body: { prompt: 'a cat' } })
    expect((await orderThere()).status).toBe(202)
    expect(await orderThere()).toMatchObject({ status: 429, body: { capUsd: 0.5 } })
  })
})

/** The outcomes of an order, and whether the provider can charge for it. */
const fates = {
  made: true,
  refused: false,
  'failed there': false,
  'unknown whether taken': true,
  'cancelled by its user': false,
} as const

const fate = fc.constantFrom(...(Object.keys(fates) as (keyof typeof fates)[]))

it('in every history, holds and spending stay below the cap, and the final sum equals the cost', async () => {
  world.provider.behave({
    beforeTaking: ({ prompt }) => (prompt === 'refused' ? json(400, { error: 'No' }) : undefined),
    afterTaking: ({ body }) => (body.prompt === 'unknown whether taken' ? hangUp : undefined),
    look: () => (response) => {
      const id = (response.req.url ?? '').split('/').at(-1)
      const prompt = world.provider.taken.find((one) => one.id === id)?.body.prompt
      const status = prompt === 'failed there' ? 'failed' : 'completed'
      return json(200, { id, object: 'video', status })(response)
    },
  })
  const asUser = (id: string) => ({ ...world.work, owner: id })
  const runHistory = async (rounds: (keyof typeof fates)[][], fits: number) => {
    const { id, session } = await capped((fits * price) / 1e6)
    let cost = 0
    for (const round of rounds) {
      vi.setSystemTime(Date.parse('2026-11-10T12:00:00Z'))
      const answers = await Promise.all(
        round.map(async (prompt) => {
          const { status, body } = await order(session, { prompt })
          return { prompt, status, body }
        }),
      )
      expect((await monthOf(id)).committed).toBeLessThanOrEqual(fits * price)
      const received = answers
        .filter(({ status }) => status === 202)
        .map(({ prompt, body }) => ({ prompt, jobId: String(body.jobId) }))
      for (const { prompt, jobId } of received)
        if (prompt === 'cancelled by its user')
          await cancelVideo(asUser(id), { jobId, reason: null })
      for (const { prompt, jobId } of received) {
        await world.until(session, jobId)
        if (fates[prompt]) cost += price
      }
      expect(await monthOf(id)).toEqual({ used: cost, committed: cost, held: 0 })
    }
    const recorded = (await eventsOf(id)).map(({ costUsd }) => Number(costUsd) * 1e6)
    expect(recorded.reduce((sum, one) => sum + Math.round(one), 0)).toBe(cost)
    expect(cost).toBeLessThanOrEqual(fits * price)
  }
  const round = fc.array(fate, { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(round, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 6 }),
      runHistory,
    ),
    { numRuns: 12, interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)
