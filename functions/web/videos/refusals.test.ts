import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { startVideos, type VideoWorld } from '#tests/support/tools/videos.ts'
import * as keysGroup from '../keys.ts'

let world: VideoWorld

beforeAll(async () => {
  world = await startVideos()
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  world.sent.length = 0
})
afterEach(() => vi.useRealTimers())
afterAll(() => world.close())

const body = { prompt: 'a cat on a boat' }
const generate = '/api/generate-video'

describe('an order', () => {
  it('requires a session, before any other check', async () => {
    const unconfigured = world.startProcess({ config: { VIDEO_MODEL: 'sora-2' } })
    expect((await unconfigured('POST', generate, { body: { prompt: '' } })).status).toBe(401)
    const session = 'usr_1.wrong'
    expect((await world.call('POST', generate, { session, body })).status).toBe(401)
  })

  it.each([
    [{}, ['VIDEO_API_URL', 'VIDEO_API_KEY']],
    [{ VIDEO_API_URL: 'http://localhost:1/v1' }, ['VIDEO_API_KEY']],
    [{ VIDEO_API_KEY: 'a key' }, ['VIDEO_API_URL']],
  ])('returns 503 if only %j is set, for any fields', async (config, missing) => {
    const { session } = await world.newUser('inactive')
    const unconfigured = world.startProcess({ config: { VIDEO_MODEL: 'sora-2', ...config } })
    for (const input of [body, {}, { prompt: 7 }]) {
      const answer = await unconfigured('POST', generate, { session, body: input })
      expect(answer).toMatchObject({
        status: 503,
        body: { error: 'Video generation is not configured', missing },
      })
    }
    expect(world.sent).toEqual([])
  })

  it.each([
    [{}, 'prompt required'],
    [{ prompt: '' }, 'prompt required'],
    [{ prompt: '  \n' }, 'prompt required'],
    [{ prompt: 7 }, 'prompt required'],
    [{ prompt: 'x'.repeat(4001) }, 'prompt must have at most 4000 characters'],
    [{ ...body, seconds: 0 }, 'seconds must be'],
    [{ ...body, seconds: 1.5 }, 'seconds must be'],
    [{ ...body, seconds: 'long' }, 'seconds must be'],
    [{ ...body, seconds: null }, 'seconds must be'],
    [{ ...body, size: 'large' }, 'size must be'],
    [{ ...body, size: '0x10' }, 'size must be'],
    [{ ...body, size: 720 }, 'size must be'],
  ])('returns 400 for %j, before it checks the subscription', async (given, error) => {
    const { session } = await world.newUser('inactive')
    const answer = await world.call('POST', generate, { session, body: given })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } })
  })

  it.each(['{"prompt":', '[1]', '"text"', 'null'])(
    'returns 400 for %s, even if nothing is configured',
    async (text) => {
      const { session } = await world.newUser()
      const headers = { 'content-type': 'application/json' }
      for (const call of [world.call, world.startProcess({ config: { VIDEO_MODEL: 'sora-2' } })])
        expect((await call('POST', generate, { session, text, headers })).status).toBe(400)
    },
  )

  it.each(['inactive', 'past_due', 'canceled'])(
    'returns 402 for a subscription that is %s',
    async (status) => {
      const { session } = await world.newUser(status)
      const headers = { 'idempotency-key': `of ${status}` }
      const answer = await world.call('POST', generate, { session, body, headers })
      expect(answer).toMatchObject({ status: 402, body: { code: 'SUBSCRIPTION_REQUIRED' } })
      expect(world.sent).toEqual([])
    },
  )

  it('accepts prompts of 1 and of 4,000 characters, and a length in the format of OpenAI’s clients', async () => {
    const { session } = await world.newUser('trialing')
    for (const input of [{ prompt: 'x' }, { prompt: 'x'.repeat(4000), seconds: '12' }])
      expect((await world.call('POST', generate, { session, body: input })).status).toBe(202)
  })

  it('returns 429 while five jobs run, and is accepted once one has ended', async () => {
    const { session } = await world.newUser()
    const tries = Array.from({ length: 8 }, () => world.call('POST', generate, { session, body }))
    const answers = await Promise.all(tries)
    const received = answers.filter(({ status }) => status === 202)
    expect(received).toHaveLength(5)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body).toMatchObject({ code: 'VIDEO_LIMIT_REACHED', current: 5, limit: 5 })
    expect(refused?.headers.get('retry-after')).toBe('30')
    await world.until(session, String(received[0]?.body.jobId))
    expect((await world.call('POST', generate, { session, body })).status).toBe(202)
  })

  it('requires a key that may spend, and reading a job a key that may read', async () => {
    const { session } = await world.newUser()
    const keys = callerOf(keysGroup, {
      table: world.table,
      hashes: keyHashes({ cost: 4 }),
      adminEmails: [],
    })
    const keyWith = async (scope: 'read' | 'write' | 'money') =>
      (await platformOver(keys, { session }).keys.create({ name: 'k', scopes: [scope] })).key
    const [reads, spends] = [await keyWith('read'), await keyWith('money')]
    for (const key of [reads, await keyWith('write')]) {
      const refused = await world.call('POST', generate, { key, body })
      expect(refused).toMatchObject({ status: 403, body: { code: 'SCOPE_REQUIRED' } })
    }
    const { status, body: made } = await world.call('POST', generate, { key: spends, body })
    expect(status).toBe(202)
    const job = await world.call('GET', `/api/jobs/${String(made.jobId)}`, { key: reads })
    expect(job).toMatchObject({ status: 200, body: { id: made.jobId } })
  })
})

describe('a job', () => {
  it('is visible only to its owner', async () => {
    const [ada, bob] = [await world.newUser(), await world.newUser()]
    const jobId = await world.order(ada.session)
    const get = (options = {}) => world.call('GET', `/api/jobs/${jobId}`, options)
    expect((await get({ session: ada.session })).status).toBe(200)
    expect(await get({ session: bob.session })).toMatchObject({
      status: 404,
      body: { error: 'Job not found' },
    })
    expect((await get()).status).toBe(401)
  })

  it.each(['job_', 'job_none', '..', '%2e%2e%2fprofile', 'profile', 'x'.repeat(3000)])(
    'returns 404 if it is missing: %s',
    async (id) => {
      const { session } = await world.newUser()
      expect((await world.call('GET', `/api/jobs/${id}`, { session })).status).toBe(404)
    },
  )
})

describe('the link of a video', () => {
  const fetched = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, init)
    const bytes = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, headers: answer.headers, bytes }
  }

  async function linked(): Promise<{ url: string; read: () => Promise<string> }> {
    const { session } = await world.newUser()
    const jobId = await world.order(session)
    const { url } = await world.until(session, jobId)
    return { url: url ?? '', read: async () => (await world.job(session, jobId)).url ?? '' }
  }

  it('is valid for an hour, and is renewed at each read', async () => {
    const { url, read } = await linked()
    vi.setSystemTime(Date.now() + 3_599_000)
    expect((await fetched(url)).status).toBe(200)
    vi.setSystemTime(Date.now() + 2000)
    expect((await fetched(url)).status).toBe(403)
    const anew = await read()
    expect(anew).not.toBe(url)
    expect((await fetched(anew)).status).toBe(200)
  })

  it.each([
    ['for another file', (url: URL) => void (url.pathname = url.pathname.replace('.mp4', '0.mp4'))],
    ['with an extended expiry', (url: URL) => url.searchParams.set('X-Amz-Expires', '36000')],
    ['with an expiry of a year', (url: URL) => url.searchParams.set('X-Amz-Expires', '31536000')],
    [
      'with a later creation time',
      (url: URL) => url.searchParams.set('X-Amz-Date', '20990101T000000Z'),
    ],
    [
      'with another content type',
      (url: URL) => url.searchParams.set('response-content-type', 'text/html'),
    ],
    ['with an additional parameter', (url: URL) => url.searchParams.append('x', 'y')],
    [
      'with another signature',
      (url: URL) => url.searchParams.set('X-Amz-Signature', 'a'.repeat(64)),
    ],
    ['without a signature', (url: URL) => url.searchParams.delete('X-Amz-Signature')],
    ['without any parameter', (url: URL) => void (url.search = '')],
  ])('is rejected %s', async (_, change) => {
    const { url } = await linked()
    const other = new URL(url)
    change(other)
    expect((await fetched(other.href)).status).toBe(403)
  })

  it('serves no file outside of its folder', async () => {
    const { url } = await linked()
    for (const path of ['/objects/videos/..%2f..%2fsecrets.json', '/objects/%2e%2e', '/objects/'])
      expect((await fetched(new URL(path + new URL(url).search, url).href)).status).toBe(404)
  })

  it.each([
    ['bytes=0-9', 206, [0, 10], 'bytes 0-9/200000'],
    ['bytes=199990-', 206, [199_990, 200_000], 'bytes 199990-199999/200000'],
    ['bytes=-5', 206, [199_995, 200_000], 'bytes 199995-199999/200000'],
    ['bytes=5-999999', 206, [5, 200_000], 'bytes 5-199999/200000'],
    ['bytes=9-5', 200, [0, 200_000], null],
    ['bytes=0-1,4-5', 200, [0, 200_000], null],
    ['lines=1-2', 200, [0, 200_000], null],
  ])('returns the range %s', async (range, status, [from, to], said) => {
    const { url } = await linked()
    const whole = (await fetched(url)).bytes
    const part = await fetched(url, { headers: { range } })
    expect(part.status).toBe(status)
    expect(part.headers.get('content-range')).toBe(said)
    expect(part.bytes.equals(whole.subarray(from, to))).toBe(true)
  })

  it('rejects a range after the end and other methods, and answers HEAD', async () => {
    const { url } = await linked()
    const behind = await fetched(url, { headers: { range: 'bytes=200000-' } })
    expect(behind.status).toBe(416)
    expect(behind.headers.get('content-range')).toBe('bytes */200000')
    const posted = await fetched(url, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT'])
    const head = await fetched(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '200000'])
  })
})
