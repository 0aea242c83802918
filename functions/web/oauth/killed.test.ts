import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OAuth, startOAuth } from '#tests/support/accounts/oauth.ts'
import { killedProcess, writes } from '#tests/support/platform/killed-process.ts'

let on: OAuth

beforeAll(async () => {
  on = await startOAuth()
})
afterAll(() => on.close())

/** Returns the number of a user's grants. */
async function grantsOf(userId: string): Promise<number> {
  const { items } = await on.table.query({ pk: `user#${userId}`, beginsWith: 'grant#' })
  return items.length
}

const moments = (['before', 'after'] as const).flatMap((moment) =>
  [1, 2].map((nth) => ({ moment, nth })),
)

describe.each(moments)('a process that is killed $moment its write $nth', ({ moment, nth }) => {
  const dead = () => {
    const death = { calls: nth - 1, isLastCarriedOut: moment === 'after', counts: writes }
    return on.callerOver(killedProcess(death).reach(on.table))
  }
  const user = (what: string) => on.signUp(`${what}-${moment}-${nth}@b.co`)

  it('exchanges a code once at most, and leaves no valid token without a holder', async () => {
    const { id, session } = await user('code')
    const { form } = await on.codeFor(session)
    const [first, body] = await on.post('/oauth/token', form, dead())
    const [second] = await on.post('/oauth/token', form)
    // It was killed before its response, unless it has no such write.
    const isDone = first === 500 ? moment === 'after' : true
    expect([first, second]).toEqual([nth === 1 ? 500 : 200, isDone ? 400 : 200])
    expect(await grantsOf(id)).toBe(isDone ? 0 : 1)
    if (first === 200) expect(await on.opens(String(body.access_token))).toBe(false)
  })

  it('lets no refresh token be used twice', async () => {
    const { id, session } = await user('refresh')
    const { clientId, refresh_token, access_token } = await on.tokensFor(session)
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token }
    const [first] = await on.post('/oauth/token', form, dead())
    const [second] = await on.post('/oauth/token', form)
    const isUsed = first === 200 || moment === 'after'
    expect(second).toBe(isUsed ? 400 : 200)
    // A lost token ends the grant: the client signs in again.
    expect(await grantsOf(id)).toBe(isUsed ? 0 : 1)
    expect(await on.opens(access_token)).toBe(!isUsed)
  })

  it('gives a device its tokens once at most', async () => {
    const { id, session } = await user('device')
    const client_id = await on.register()
    const [, device] = await on.post('/oauth/device_authorization', { client_id })
    const body = { userCode: device.user_code, approve: true }
    const decide = (by = on.oauth) => by('POST', '/oauth/device', { session, body })
    await decide(dead())
    const again = await decide()
    expect([200, 404]).toContain(again.status)
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id,
      device_code: String(device.device_code),
    }
    const [first] = await on.post('/oauth/token', form, dead())
    const [second] = await on.post('/oauth/token', form)
    expect([first, second].filter((status) => status === 200).length).toBeLessThanOrEqual(1)
    expect(await grantsOf(id)).toBe(1)
  })

  it('decides a request once at most, and leaks no code', async () => {
    const { session } = await user('request')
    const { location } = await on.authorize(session, {
      response_type: 'code',
      client_id: await on.register(),
      redirect_uri: 'http://127.0.0.1:8765/callback',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    const path = `/oauth/requests/${new URL(location).searchParams.get('request')}`
    const body = { approve: true }
    const first = await dead()('POST', path, { session, body })
    const second = await on.oauth('POST', path, { session, body })
    const isDecided = first.status === 200 || moment === 'after'
    expect([first.status, second.status]).toEqual([nth === 1 ? 500 : 200, isDecided ? 404 : 200])
  })
})

it('a code with several concurrent exchanges leaves no valid token', async () => {
  const { id, session } = await on.signUp('race@b.co')
  const { form } = await on.codeFor(session)
  // Two processes, and a third that sends the same proof later.
  const processes = [on.callerOver(on.table), on.callerOver(on.table)]
  const answers = await Promise.all(
    processes.flatMap((by) => [1, 2].map(() => on.post('/oauth/token', form, by))),
  )
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
  const [, won] = answers.find(([status]) => status === 200) ?? []
  expect(await on.opens(String(won?.access_token))).toBe(false)
  expect(await grantsOf(id)).toBe(0)
})

it('only the newest of a grant’s tokens can be refreshed, under any actions of its program and a thief', async () => {
  const { session } = await on.signUp('family@b.co')
  // The refresh tokens to use, counted back from the newest. Beyond the oldest, the first one is used.
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(2), { maxLength: 6 }), async (shown) => {
      const { clientId, refresh_token, access_token } = await on.tokensFor(session)
      const inputs = [refresh_token]
      const access = [access_token]
      let alive = true
      for (const back of shown) {
        const at = Math.max(0, inputs.length - 1 - back)
        const isNewest = at === inputs.length - 1
        const [status, body] = await on.post('/oauth/token', {
          grant_type: 'refresh_token',
          client_id: clientId,
          refresh_token: inputs[at] ?? '',
        })
        expect(status).toBe(alive && isNewest ? 200 : 400)
        alive &&= isNewest
        if (status !== 200) continue
        inputs.push(String(body.refresh_token))
        access.push(String(body.access_token))
      }
      // The newest token and the previous one, for requests in progress.
      const open = await Promise.all(access.map((token) => on.opens(token)))
      expect(open).toEqual(access.map((_, i) => alive && i >= access.length - 2))
    }),
    { numRuns: 15 },
  )
})
