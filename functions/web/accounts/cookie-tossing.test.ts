import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

let accounts: Accounts
let ada: { id: string; session: string }
let eve: { id: string; session: string }

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
})
afterAll(() => accounts.close())

const cookies = (...values: string[]) => ({
  cookie: values.map((value) => `service-session=${value}`).join('; '),
})

async function userOf(...values: string[]): Promise<unknown> {
  const headers = cookies(...values)
  return (await platformOver(accounts.call).auth.session({ headers }))?.id ?? null
}

const stale = `usr_x.${'A'.repeat(43)}`

describe('several session cookies', () => {
  it.each([
    ['the same cookie twice', () => [ada.session, ada.session]],
    ['an old cookie before', () => [stale, ada.session]],
    ['an old cookie after', () => [ada.session, stale]],
    ['invalid cookies around', () => ['%00', ada.session, '=;', '%E0%A4%A']],
    ['an empty cookie', () => ['', ada.session]],
  ])('identify one person with %s', async (_, values) => {
    expect(await userOf(...values())).toBe(ada.id)
  })

  it('several session cookies of two people identify neither, in any order', async () => {
    expect(await userOf(eve.session, ada.session)).toBeNull()
    expect(await userOf(ada.session, eve.session)).toBeNull()
    const headers = cookies(eve.session, ada.session)
    const answer = await accounts.call('GET', '/api/settings', { headers })
    expect(answer.status).toBe(401)
  })

  it('are ignored above a limit, and cause no read each', async () => {
    const crowd = Array.from({ length: 300 }, (_, i) => `${stale}${i}`)
    expect(await userOf(...crowd, ada.session)).toBeNull()
  })

  it('all end at sign-out', async () => {
    const [one, two] = await Promise.all([accounts.signUp('one@b.co'), accounts.signUp('two@b.co')])
    const headers = cookies(one.session, two.session)
    expect((await accounts.call('POST', '/api/auth/signout', { headers })).status).toBe(200)
    expect([await userOf(one.session), await userOf(two.session)]).toEqual([null, null])
  })

  it('allow no request of another site with the CSRF token of an added cookie', async () => {
    const { token } = await platformOver(accounts.call, eve).auth.csrfToken()
    const elsewhere = { 'sec-fetch-site': 'same-site', 'x-csrf-token': token }
    for (const values of [
      [eve.session, ada.session],
      [ada.session, eve.session],
    ]) {
      const headers = { ...cookies(...values), ...elsewhere }
      const answer = await accounts.call('PATCH', '/api/settings', { headers, body: { name: 'x' } })
      expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'CSRF' }])
    }
    const both = { headers: cookies(eve.session, ada.session) }
    expect((await accounts.call('GET', '/api/auth/csrf', both)).status).toBe(401)
  })
})
