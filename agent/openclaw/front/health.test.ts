import { describe, expect, test } from 'vitest'
import { useFront } from '../testing/front.ts'

const on = useFront()

describe('health', () => {
  const health = async (path: string) => {
    const answer = await fetch(on.url + path)
    return [answer.status, await answer.json()]
  }

  test.each([
    [{ ready: true, failing: [], uptimeMs: 5, eventLoop: {} }, 200, []],
    [{ ready: false, failing: ['startup-sidecars'], uptimeMs: 5 }, 503, ['startup-sidecars']],
    [{ ready: false }, 503, ['runtime']],
    [[], 503, ['runtime']],
    [null, 503, ['runtime']],
  ])('is %o in the platform’s format', async (said, status, failing) => {
    on.answers = (_, response) => void response.end(JSON.stringify(said))
    const body = { ready: status === 200, failing, uptimeMs: expect.any(Number) }
    expect(await health('/readyz')).toEqual([status, body])
    expect(await health('/healthz')).toEqual([200, { ok: true, status: 'live' }])
  })

  test('is missing while OpenClaw does not respond, or responds in another format', async () => {
    on.answers = (_, response) => void response.end('<html>')
    expect(await health('/readyz')).toMatchObject([503, { ready: false, failing: ['runtime'] }])
    await on.stopRuntime()
    expect(await health('/readyz')).toMatchObject([503, { ready: false, failing: ['runtime'] }])
    expect(await health('/healthz')).toEqual([503, { ok: false, status: 'live' }])
  })

  test('ends with the shutdown', async () => {
    on.answers = (_, response) => void response.end('{"ready":true}')
    on.front.drain()
    expect(await health('/readyz')).toMatchObject([503, { ready: false, failing: ['draining'] }])
  })
})
