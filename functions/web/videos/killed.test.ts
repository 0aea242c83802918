import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'
import { noon, price, videoLimits } from '#tests/support/tools/video-limits.ts'
import { videoOf } from '#tests/support/tools/video-provider.ts'
import { startVideos, type VideoWorld } from '#tests/support/tools/videos.ts'

let world: VideoWorld
let limits: ReturnType<typeof videoLimits>

beforeAll(async () => {
  world = await startVideos()
  limits = videoLimits(world)
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => vi.useRealTimers())
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

/** Services of a process that is killed at one of its external calls, before or after its effect. */
function doomed(seed: number) {
  const reach = lifeOf(randomFrom(seed), true)
  const { table, queues, provider, objectStore } = world.work
  if (provider === undefined) throw new Error('the tests have a provider')
  return {
    table: reach(table),
    queues: reach(queues),
    provider: reach(provider),
    objectStore: reach(objectStore),
  }
}

const ends = { completed: 0, failed: 0 }

const seeds = Array.from({ length: 30 }, (_, seed) => seed + 1)

it.each(seeds)('a video whose processes are killed is ordered once at most (%i)', async (seed) => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  const random = randomFrom(seed)
  const { id, session, key, keyId } = await limits.capped({
    user: { spendCapUsd: 50, spendCapUsdPerDay: 40 },
    key: { usdPerMonth: 30, usdPerDay: 20 },
  })
  const prompt = `a video of ${randomUUID()}`
  const headers = { 'idempotency-key': randomUUID() }
  const ask = { key, body: { prompt }, headers }
  const { table, queues } = doomed(seed)
  const first = await world.startProcess({ table, queues })('POST', '/api/generate-video', ask)
  // The idempotency key of a dead process is free again after the function's timeout.
  if (first.status !== 202) vi.setSystemTime(Date.now() + 31_000)
  const made = first.status === 202 ? first : await world.call('POST', '/api/generate-video', ask)
  const jobId = String(made.body.jobId)

  let lives = 0
  for (let turns = 0; turns < 100; turns++) {
    const { status } = await world.job(session, jobId)
    if (status === 'completed' || status === 'failed') break
    const message = world.sent.shift()
    if (message === undefined) {
      vi.setSystemTime(Date.now() + 120_000)
      await world.tick()
      // Removes the jobs of earlier tests.
      keepOnly(jobId)
      continue
    }
    vi.setSystemTime(Math.max(Date.now(), message.at))
    const input = lives < 8 ? doomed(seed * 1000 + lives++) : {}
    await world.turn(message.message, input).catch((error: unknown) => {
      requireKilled(error)
      // The queue delivers it again, sooner or later, or twice.
      if (random.percent(70)) world.sent.push(message)
    })
    if (random.percent(20)) world.sent.push(message)
  }
  world.sent.length = 0

  const job = await world.job(session, jobId)
  const received = world.provider.takenOf(prompt).length
  expect(received).toBeLessThanOrEqual(1)
  if (job.status === 'completed') {
    const copy = await fetch(job.url ?? '')
    expect(Buffer.from(await copy.arrayBuffer()).equals(videoOf(prompt))).toBe(true)
    ends.completed++
  } else {
    expect(job).toMatchObject({ status: 'failed', error: expect.stringMatching(/unknown whether/) })
    ends.failed++
  }
  // A video that was made, or may have been made, is charged to every limit exactly once.
  const rows = await limits.spent(id, keyId)
  for (const row of Object.values(rows))
    expect(row).toEqual({ used: price, committed: price, held: 0 })
  // However the job ended, it has freed its slot exactly once.
  const others = Array.from({ length: 6 }, () =>
    world.call('POST', '/api/generate-video', { session, body: { prompt: 'another' } }),
  )
  const statuses = (await Promise.all(others)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([202, 202, 202, 202, 202, 429])
  world.sent.length = 0
})

it('some of them were completed, and some were killed while they ordered', () => {
  expect(ends.completed).toBeGreaterThan(5)
  expect(ends.failed).toBeGreaterThan(1)
})

function keepOnly(jobId: string): void {
  const own = world.sent.filter(({ message }) => message.jobId === jobId)
  world.sent.splice(0, world.sent.length, ...own)
}

function requireKilled(error: unknown): void {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof Killed) return
  throw error
}
