import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { cancelVideo } from '#shared/tools/videos/cancel.ts'
import { noon, price, type VideoCaps, videoLimits } from '#tests/support/tools/video-limits.ts'
import { json } from '#tests/support/tools/video-provider.ts'
import { startVideos, type VideoWorld } from '#tests/support/tools/videos.ts'

let world: VideoWorld
let limits: ReturnType<typeof videoLimits>

beforeAll(async () => {
  world = await startVideos()
  limits = videoLimits(world)
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  world.provider.behave({})
  world.sent.length = 0
})
afterEach(() => vi.useRealTimers())
afterAll(() => world.close())

const usd = (videos: number) => (videos * price) / 1e6

const order = (key: string, body: Record<string, unknown> = {}) =>
  world.call('POST', '/api/generate-video', { key, body: { prompt: 'a cat', ...body } })

const nothing = { used: 0, committed: 0, held: 0 }
const holding = (videos: number) => ({
  used: 0,
  committed: videos * price,
  held: videos * price,
})
const spent = (videos: number) => ({ used: videos * price, committed: videos * price, held: 0 })

const day = '2026-11-11T00:00:00.000Z'
const month = '2026-12-01T00:00:00.000Z'

const all = (videos: number): VideoCaps => ({
  user: { spendCapUsd: usd(videos), spendCapUsdPerDay: usd(videos) },
  key: { usdPerDay: usd(videos), usdPerMonth: usd(videos) },
})

describe('a video', () => {
  it.each<[string, VideoCaps, string, string, { of?: 'key' }]>([
    ['the user’s daily cap', { user: { spendCapUsdPerDay: usd(1) } }, 'Daily … user', day, {}],
    ['the key’s day', { key: { usdPerDay: usd(1) } }, 'Daily … API key', day, { of: 'key' }],
    [
      'the key’s month',
      { key: { usdPerMonth: usd(1) } },
      'Monthly … API key',
      month,
      { of: 'key' },
    ],
  ])('counts against %s', async (_, caps, words, resetsAt, of) => {
    const { key } = await limits.capped(caps)
    expect((await order(key)).status).toBe(202)
    const { status, body, headers } = await order(key)
    const [period, ...whose] = words.split(' … ')
    expect([status, body]).toMatchObject([
      429,
      {
        code: 'SPEND_CAP_REACHED',
        error: expect.stringContaining(`${period} spend cap of the ${whose.join()} reached`),
        spentUsd: 0,
        capUsd: 0.4,
        resetsAt,
        ...of,
      },
    ])
    expect(Number(headers.get('retry-after'))).toBe((Date.parse(resetsAt) - noon) / 1000)
  })

  it('is ordered exactly as often as it fits each limit, of twenty concurrent orders', async () => {
    for (const [i, caps] of [
      { ...all(5), key: { ...all(5).key, usdPerDay: usd(3) } },
      { ...all(5), key: { ...all(5).key, usdPerMonth: usd(3) } },
      { ...all(5), user: { ...all(5).user, spendCapUsdPerDay: usd(3) } },
      { ...all(5), user: { ...all(5).user, spendCapUsd: usd(3) } },
    ].entries()) {
      const { id, keyId, key } = await limits.capped(caps)
      const answers = await Promise.all(Array.from({ length: 20 }, () => order(key)))
      const statuses = answers.map(({ status }) => status)
      expect(
        statuses.filter((status) => status === 202),
        `limits ${i}`,
      ).toHaveLength(3)
      expect(
        statuses.filter((status) => status === 429),
        `limits ${i}`,
      ).toHaveLength(17)
      const rows = await limits.spent(id, keyId)
      for (const row of Object.values(rows)) expect(row).toEqual(holding(3))
    }
  })

  it('is charged to every limit, or releases every hold', async () => {
    const { id, session, keyId, key } = await limits.capped(all(2))
    const [made, cancelled] = [await order(key), await order(key, { prompt: 'cancelled' })]
    const ctx = { ...world.work, owner: id }
    await cancelVideo(ctx, { jobId: String(cancelled.body.jobId), reason: null })
    await world.until(session, String(made.body.jobId))
    const rows = await limits.spent(id, keyId)
    for (const row of Object.values(rows)) expect(row).toEqual(spent(1))
    expect((await order(key)).status).toBe(202)
    expect((await order(key)).status).toBe(429)
  })

  it('counts in a limit that is set later, and in the next day it does not', async () => {
    const { id, session, key } = await limits.capped({})
    const { body } = await order(key)
    await world.until(session, String(body.jobId))
    await limits.setCaps(id, { spendCapUsdPerDay: usd(1) })
    expect((await order(key)).status).toBe(429)
    vi.setSystemTime(noon + 86_400_000)
    expect((await order(key)).status).toBe(202)
  })

  it('needs a known price under a daily cap or a limit of its key', async () => {
    for (const caps of [{ user: { spendCapUsdPerDay: 100 } }, { key: { usdPerDay: 100 } }]) {
      const { key } = await limits.capped(caps)
      expect(await order(key, { size: '1920x1080' })).toMatchObject({
        status: 403,
        body: { code: 'MODEL_UNPRICED' },
      })
    }
  })

  it('is refused for a key whose models do not contain its model', async () => {
    const { session, key } = await limits.capped({ key: { models: ['openai/gpt-4o'] } })
    expect(await order(key)).toMatchObject({ status: 403, body: { code: 'MODEL_RESTRICTED' } })
    const allowed = await limits.newKey(session, { models: ['openai/gpt-4o', 'sora-2'] })
    expect((await order(allowed.key)).status).toBe(202)
  })

  it('does not count against a key that did not order it', async () => {
    const { id, session, keyId } = await limits.capped({ key: { usdPerDay: usd(1) } })
    const options = { session, body: { prompt: 'a cat' } }
    expect((await world.call('POST', '/api/generate-video', options)).status).toBe(202)
    expect((await limits.spent(id, keyId)).keyDay).toEqual(nothing)
  })
})

/** The outcomes of an order, and whether it is charged. */
const fates = { made: true, refused: false, 'failed there': false } as const

type Fate = keyof typeof fates

it('in every history, each limit is respected by holds and spending, and the final sums equal the cost', async () => {
  world.provider.behave({
    beforeTaking: ({ prompt }) => (prompt === 'refused' ? json(400, { error: 'No' }) : undefined),
    look: () => (response) => {
      const id = (response.req.url ?? '').split('/').at(-1)
      const prompt = world.provider.taken.find((one) => one.id === id)?.body.prompt
      const status = prompt === 'failed there' ? 'failed' : 'completed'
      return json(200, { id, object: 'video', status })(response)
    },
  })
  const names = ['month', 'day', 'keyMonth', 'keyDay'] as const
  const runHistory = async (rounds: Fate[][], fits: number[]) => {
    const [ofMonth = 0, ofDay = 0, ofKeyMonth = 0, ofKeyDay = 0] = fits
    const { id, session, keyId, key } = await limits.capped({
      user: { spendCapUsd: usd(ofMonth), spendCapUsdPerDay: usd(ofDay) },
      key: { usdPerMonth: usd(ofKeyMonth), usdPerDay: usd(ofKeyDay) },
    })
    const most = Math.min(...fits)
    let charged = 0
    for (const round of rounds) {
      vi.setSystemTime(noon)
      const answers = await Promise.all(
        round.map(async (prompt) => ({ prompt, ...(await order(key, { prompt })) })),
      )
      const taken = answers.filter(({ status }) => status === 202)
      expect(taken).toHaveLength(Math.min(round.length, most - charged))
      const during = await limits.spent(id, keyId)
      for (const name of names)
        expect(during[name]).toEqual({
          used: charged * price,
          committed: (charged + taken.length) * price,
          held: taken.length * price,
        })
      for (const { prompt, body } of taken) {
        await world.until(session, String(body.jobId))
        if (fates[prompt]) charged++
      }
      const after = await limits.spent(id, keyId)
      for (const name of names) expect(after[name]).toEqual(spent(charged))
    }
  }
  const fate = fc.constantFrom(...(Object.keys(fates) as Fate[]))
  const fit = fc.integer({ min: 1, max: 6 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fate, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
      fc.tuple(fit, fit, fit, fit),
      runHistory,
    ),
    { numRuns: 12, interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)
