import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { json, videoOf } from '#tests/support/tools/video-provider.ts'
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

const prompt = () => `a boat ${randomUUID()}`

describe('a video', () => {
  it('is ordered, polled and copied, and downloaded by a link', async () => {
    const { session } = await world.newUser()
    const input = { prompt: prompt(), seconds: 8, size: '1280x720' }
    const jobId = await world.order(session, input)
    expect(await world.job(session, jobId)).toEqual({
      id: jobId,
      type: 'video',
      status: 'queued',
      url: null,
      error: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    await world.next()
    expect(await world.job(session, jobId)).toMatchObject({ status: 'processing', url: null })
    const done = await world.until(session, jobId)
    expect(done).toMatchObject({ status: 'completed', error: null })

    const [order] = world.provider.takenOf(input.prompt)
    expect(order?.body).toEqual({ model: 'sora-2', ...input, seconds: '8' })
    expect(order?.headers).toMatchObject({
      authorization: `Bearer ${videoApiKey}`,
      'content-type': 'application/json',
      'idempotency-key': jobId,
    })

    const answer = await fetch(done.url ?? '')
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-disposition': `attachment; filename="${jobId}.mp4"`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(videoOf(input.prompt))
  })

  it('a video of many parts is copied whole', async () => {
    const { session } = await world.newUser()
    const bytes = videoOf('a long one', 20_000_000)
    world.provider.behave({
      content: (response) => {
        response.writeHead(200, { 'content-type': 'video/mp4' })
        response.end(bytes)
      },
    })
    const { url } = await world.until(session, await world.order(session))
    expect(Buffer.from(await (await fetch(url ?? '')).arrayBuffer()).equals(bytes)).toBe(true)
    expect(await world.parts()).toEqual([])
  })

  it('sends only the order’s fields to the provider', async () => {
    const { session } = await world.newUser()
    const input = { prompt: prompt() }
    await world.until(session, await world.order(session, input))
    expect(world.provider.takenOf(input.prompt)[0]?.body).toEqual({ model: 'sora-2', ...input })
  })

  it('is ordered once under one Idempotency-Key', async () => {
    const { session } = await world.newUser()
    const input = { prompt: prompt() }
    const headers = { 'idempotency-key': randomUUID() }
    const ask = (body: object) =>
      world.call('POST', '/api/generate-video', { session, body, headers })
    const first = await ask(input)
    const again = await ask(input)
    expect([first.status, again.status]).toEqual([202, 202])
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await ask({ prompt: 'another' })).status).toBe(409)
    await world.until(session, String(first.body.jobId))
    expect(world.provider.takenOf(input.prompt)).toHaveLength(1)
  })

  it('a video with duplicate, late and outdated messages is ordered once', async () => {
    const { session } = await world.newUser()
    const input = { prompt: prompt() }
    const jobId = await world.order(session, input)
    const messages = world.sent.map(({ message }) => message)
    await Promise.all([...messages, ...messages, ...messages].map((one) => world.turn(one)))
    expect(await world.until(session, jobId)).toMatchObject({ status: 'completed' })
    for (const message of messages) await world.turn(message)
    expect(world.provider.takenOf(input.prompt)).toHaveLength(1)
  })

  it('a video whose message was lost is found by the tick', async () => {
    const { session } = await world.newUser()
    const jobId = await world.order(session)
    world.sent.length = 0
    await world.tick()
    expect(world.sent).toEqual([])
    expect(await world.until(session, jobId)).toMatchObject({ status: 'completed' })
    vi.setSystemTime(Date.now() + 86_400_000)
    await world.tick()
    expect(world.sent).toEqual([])
  })

  it('is deleted after thirty days', async () => {
    const { session, email } = await world.newUser()
    const jobId = await world.order(session)
    await world.until(session, jobId)
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    expect(await world.job(session, jobId)).toMatchObject({ status: 'completed' })
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    const again = { session: await world.signIn(email) }
    expect((await world.call('GET', `/api/jobs/${jobId}`, again)).status).toBe(404)
  })
})

describe('an order that the provider rejects', () => {
  it.each([
    ['a rate limit', json(429, { error: { message: 'Slow down' } }, { 'retry-after': '7' })],
    ['a Retry-After', json(503, { error: { message: 'Overloaded' } })],
  ])(
    'an order that the provider rejects with %s is sent again until it is accepted',
    async (_, answer) => {
      const { session } = await world.newUser()
      const input = { prompt: prompt() }
      let away = 3
      world.provider.behave({ beforeTaking: () => (away-- > 0 ? answer : undefined) })
      const jobId = await world.order(session, input)
      await world.next()
      expect(await world.job(session, jobId)).toMatchObject({ status: 'queued' })
      expect(await world.until(session, jobId)).toMatchObject({ status: 'completed' })
      expect(world.provider.takenOf(input.prompt)).toHaveLength(1)
    },
  )

  it('five times fails with the provider’s words', async () => {
    const { session } = await world.newUser()
    world.provider.behave({ beforeTaking: () => json(429, { error: { message: 'Slow down' } }) })
    const before = world.provider.asked()
    const job = await world.until(session, await world.order(session))
    expect(job).toMatchObject({ status: 'failed', error: 'Slow down', url: null })
    expect(world.provider.asked() - before).toBe(5)
  })
})
