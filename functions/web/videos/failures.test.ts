import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { configuredVideos } from '#shared/tools/videos/configured.ts'
import { hangUp, json, type Moods } from '#tests/support/tools/video-provider.ts'
import { startVideos, videoApiKey, type VideoWorld } from '#tests/support/tools/videos.ts'

let world: VideoWorld

beforeAll(async () => {
  world = await startVideos()
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  world.provider.behave({})
  world.sent.length = 0
})
afterEach(() => vi.useRealTimers())
afterAll(() => world.close())

const said = (message: string) => ({ error: { message, type: 'invalid_request_error' } })

async function ordered(moods: Moods) {
  const { session } = await world.newUser()
  world.provider.behave(moods)
  const before = world.provider.taken.length
  const jobId = await world.order(session)
  const job = await world.until(session, jobId)
  return { job, taken: world.provider.taken.length - before, session }
}

describe('an order fails with the provider’s words', () => {
  it.each([
    ['refused', json(400, said('No such size')), 'No such size'],
    ['rejected in another format', json(422, { error: 'Too dark' }), 'Too dark'],
    ['rejected without a message', json(403, {}), 'The video provider responded with status 403'],
  ])(
    'an order fails with the provider’s words if it is %s, and is not sent again',
    async (_, answer, error) => {
      const before = world.provider.asked()
      const { job, taken } = await ordered({ beforeTaking: () => answer })
      expect(job).toMatchObject({ status: 'failed', error, url: null })
      expect([taken, world.provider.asked() - before]).toEqual([0, 1])
    },
  )

  it.each([
    [
      'an error of the provider',
      json(500, said('Oops')),
      /^Oops\. It is unknown whether the provider accepted/,
    ],
    ['an error of a gateway', json(504, {}), /status 504\. It is unknown whether the provider/],
    [
      'a load balancer’s 503',
      json(503, {}, { 'retry-after': '1' }),
      /status 503\. It is unknown whether the provider/,
    ],
    [
      'a gateway’s 503',
      json(503, { message: 'Try later' }),
      /^Try later\. It is unknown whether the provider/,
    ],
    ['a proxy’s 503', json(503, '<html>'), /status 503\. It is unknown whether the provider/],
    [
      'a missing response',
      hangUp,
      /^The video provider failed: .*It is unknown whether the provider accepted/,
    ],
    ['a response without a video', json(200, { id: '' }), /not a video object\. It is unknown/],
    ['invalid JSON', json(200, 'x'), /not a video object\. It is unknown/],
  ])(
    'an order fails with the provider’s words if it was accepted behind %s, and is not sent again',
    async (_, answer, error) => {
      const { job, taken } = await ordered({ afterTaking: () => answer })
      expect(job).toMatchObject({ status: 'failed', error: expect.stringMatching(error) })
      expect(taken).toBe(1)
    },
  )

  it('an order fails with the provider’s words if the provider is unavailable for a minute', async () => {
    const { session } = await world.newUser()
    // The discard port; no service listens there.
    const gone = configuredVideos({ ...world.settings, VIDEO_API_URL: 'http://127.0.0.1:9/v1' })
    const jobId = await world.order(session)
    const began = Date.now()
    const job = await world.until(session, jobId, { provider: gone })
    expect(job.error).toBe('The video provider failed: the connection failed: ECONNREFUSED')
    expect(Date.now() - began).toBeGreaterThan(50_000)
  })

  it('an order fails with the provider’s words without the key, line breaks and excessive length', async () => {
    const words = `Wrong key ${videoApiKey} or sk-abc***xyz\n\u0000or ${'long '.repeat(200)}`
    const { job } = await ordered({ beforeTaking: () => json(401, said(words)) })
    expect(job.error).toMatch(/^Wrong key \[redacted\] or \[redacted\] or long long/)
    expect(job.error).toHaveLength(500)
  })
})

describe('an ordered video', () => {
  it.each([
    [
      'fails at the provider',
      { status: 'failed', error: { code: 'moderation', message: 'Too wild' } },
      'Too wild',
    ],
    [
      'fails without a message',
      { status: 'failed', error: null },
      'The video provider reports the video as failed',
    ],
    [
      'is cancelled at the provider',
      { status: 'cancelled' },
      'The video provider reports the video as cancelled',
    ],
  ])('an ordered video that %s fails', async (_, answer, error) => {
    const { job, taken } = await ordered({ look: () => json(200, { id: 'v', ...answer }) })
    expect(job).toMatchObject({ status: 'failed', error, url: null })
    expect(taken).toBe(1)
  })

  it('an ordered video that the provider no longer has fails', async () => {
    const { job } = await ordered({ look: () => json(404, said('No such video')) })
    expect(job).toMatchObject({ status: 'failed', error: 'No such video' })
  })

  it.each([
    ['breaks', hangUp],
    ['is unavailable', json(502, {})],
    ['rejects its key for a moment', json(401, said('Wrong key'))],
    ['returns invalid data', json(200, ['?'])],
  ])('is completed although the provider %s in the meantime', async (_, answer) => {
    const fine = json(200, { id: 'v', status: 'completed' })
    const { job, taken } = await ordered({ look: (looks) => (looks < 4 ? answer : fine) })
    expect(job).toMatchObject({ status: 'completed', error: null })
    expect(taken).toBe(1)
  })

  it('an ordered video that is never completed is given up after two hours', async () => {
    const began = Date.now()
    const { job } = await ordered({ look: () => json(200, { id: 'v', status: 'in_progress' }) })
    expect(job).toMatchObject({
      status: 'failed',
      error: 'The video was not ready within two hours',
    })
    expect(Date.now() - began).toBeGreaterThan(7_200_000)
  })

  it('is given up after two hours if its provider was removed from the settings', async () => {
    const { session } = await world.newUser()
    const jobId = await world.order(session)
    await world.next()
    const job = await world.until(session, jobId, { provider: undefined })
    expect(job).toMatchObject({
      status: 'failed',
      error: 'The video was not ready within two hours',
    })
  })
})

describe('a copy', () => {
  const bytes = Buffer.alloc(300_000, 'v')
  const headers = { 'content-type': 'video/mp4', 'content-length': bytes.length }

  it.each([
    [
      'is interrupted',
      (response) => {
        response.writeHead(200, headers)
        response.write(bytes.subarray(0, 100_000), () => response.socket?.destroy())
      },
    ],
    ['is not a video', json(200, { error: 'later' })],
    ['is rejected for a moment', json(503, {})],
  ] satisfies [string, NonNullable<Moods['content']>][])(
    'a copy that %s is repeated, and is never visible before it is complete',
    async (_, broken) => {
      let tries = 0
      let observed = 0
      const { session } = await world.newUser()
      world.provider.behave({
        content: async (response) => {
          tries++
          observed += (await world.files()).length - before
          if (tries < 3) return broken(response)
          response.writeHead(200, headers).end(bytes)
        },
      })
      const before = (await world.files()).length
      const { status, url } = await world.until(session, await world.order(session))
      expect([status, tries]).toEqual(['completed', 3])
      expect(observed).toBe(0)
      expect(Buffer.from(await (await fetch(url ?? '')).arrayBuffer()).equals(bytes)).toBe(true)
      expect(await world.parts()).toEqual([])
    },
  )

  it('a copy that is empty is repeated', async () => {
    let tries = 0
    const { session } = await world.newUser()
    world.provider.behave({
      content: (response) => {
        response.writeHead(200, { 'content-type': 'video/mp4' }).end(tries++ < 2 ? '' : bytes)
      },
    })
    const { status } = await world.until(session, await world.order(session))
    expect([status, tries]).toEqual(['completed', 3])
  })

  it('a copy that the provider rejects fails', async () => {
    const { job } = await ordered({ content: json(410, said('The video has expired')) })
    expect(job).toMatchObject({ status: 'failed', error: 'The video has expired' })
  })

  it('a copy that cannot be stored for a while is repeated', async () => {
    const { session } = await world.newUser()
    const jobId = await world.order(session)
    const put = () => Promise.reject(new Error('the disk is full'))
    for (let turns = 0; turns < 4; turns++) await world.next({ objectStore: { put } })
    expect(await world.job(session, jobId)).toMatchObject({ status: 'processing' })
    expect(await world.until(session, jobId)).toMatchObject({ status: 'completed' })
  })
})
