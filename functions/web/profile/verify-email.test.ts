import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from '#shared/accounts/keys/create.ts'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import { sessionIdentity } from '#shared/accounts/users/identity.ts'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { createMailer } from '#shared/platform/mail/create.ts'
import { type Accounts, password, startAccounts } from '#tests/support/accounts/accounts.ts'
import { contextOf } from '#tests/support/platform/context.ts'

let accounts: Accounts

beforeAll(async () => {
  accounts = await startAccounts({ adminEmails: ['boss@b.co'] })
})
afterAll(() => accounts.close())

async function mailTo(email: string) {
  const mail = (await accounts.mails()).find(({ to }) => to === email)
  expect(mail, `a mail to ${email}`).toBeDefined()
  return mail!
}

function linkIn(text: string): URL {
  return new URL(/http\S+verify-email\?token=[\w-]+/.exec(text)?.[0] ?? '')
}

async function keyOf(token: string) {
  return { pk: `verification#${await sha256Hex(token)}`, sk: 'verification' }
}

async function open(link: URL, session = '', method = 'GET') {
  const answer = await accounts.call(method, `${link.pathname}${link.search}`, { session })
  return [answer.status, answer.headers.get('location')]
}

async function isVerified(id: string): Promise<unknown> {
  return (await accounts.table.get({ pk: `user#${id}`, sk: 'profile' }))?.emailVerified
}

const good = [302, 'http://localhost:3000/login?verified=1']
const bad = [302, 'http://localhost:3000/login?error=VerifyFailed']

describe('GET /api/auth/verify-email', () => {
  it('verifies the address by the mailed link, once, with the account’s session', async () => {
    const { session } = await accounts.signUp('boss@b.co')
    const link = linkIn((await mailTo('boss@b.co')).text)
    expect(link.origin).toBe('http://localhost:3000')
    expect(await open(link, session)).toEqual(good)
    const answer = await accounts.call('GET', '/api/auth/session', { session })
    expect(await answer.json()).toMatchObject({ user: { isAdmin: true } })
    expect(await open(link, session)).toEqual(bad)
    expect(await open(link)).toEqual(bad)
  })

  it('works once for two concurrent clicks', async () => {
    const { session } = await accounts.signUp('twice@b.co')
    const link = linkIn((await mailTo('twice@b.co')).text)
    const answers = await Promise.all([1, 2, 3].map(() => open(link, session)))
    expect(answers.filter(([, to]) => to === good[1])).toHaveLength(1)
  })

  it('rejects a link after a day', async () => {
    const { session } = await accounts.signUp('late@b.co')
    const link = linkIn((await mailTo('late@b.co')).text)
    const key = await keyOf(link.searchParams.get('token') ?? '')
    await accounts.table.update(key, { set: { expiresAt: Math.floor(Date.now() / 1000) } })
    expect(await open(link, session)).toEqual(bad)
    expect(await open(link)).toEqual(bad)
  })

  it('rejects a link to an earlier address of the user', async () => {
    const { id, session } = await accounts.signUp('left@b.co')
    const link = linkIn((await mailTo('left@b.co')).text)
    await accounts.table.update({ pk: `user#${id}`, sk: 'profile' }, { set: { email: 'new@b.co' } })
    expect(await open(link, session)).toEqual(bad)
    const row = await accounts.table.get({ pk: `user#${id}`, sk: 'profile' })
    expect(row?.emailVerified).toBe(false)
  })

  it.each(['', '?token=', '?token=nonsense', '?token=%00%23', '?tok=1&token[]=x'])(
    'redirects %j with the reason',
    async (query) => {
      expect(await open(new URL(`http://x/api/auth/verify-email${query}`))).toEqual(bad)
    },
  )
})

describe('a link without a password or session', () => {
  it.each(['GET', 'HEAD'])('verifies nothing when a mail scanner sends %s', async (method) => {
    const email = `scanned-${method.toLowerCase()}@b.co`
    const { id, session } = await accounts.signUp(email)
    const link = linkIn((await mailTo(email)).text)
    const page = [302, `http://localhost:3000/verify-email${link.search}`]
    expect(await open(link, '', method)).toEqual(page)
    expect(await isVerified(id)).toBe(false)
    expect(await open(link, session)).toEqual(good)
  })

  it('verifies nothing by HEAD, also with the session', async () => {
    const { id, session } = await accounts.signUp('head@b.co')
    const link = linkIn((await mailTo('head@b.co')).text)
    await open(link, session, 'HEAD')
    expect(await isVerified(id)).toBe(false)
  })

  it('verifies nothing for the session of another account, nor for an API key', async () => {
    const { id, session } = await accounts.signUp('mine@b.co')
    const other = await accounts.signUp('other@b.co')
    const link = linkIn((await mailTo('mine@b.co')).text)
    const page = [302, `http://localhost:3000/verify-email${link.search}`]
    expect(await open(link, other.session)).toEqual(page)
    const user = await sessionIdentity(accounts.table, [])(session)
    const { key } = await createKey(
      { ...contextOf(accounts.table, user!), hashes: keyHashes({ cost: 4 }) },
      { name: 'laptop' },
    )
    const headers = { authorization: `Bearer ${key}` }
    const answer = await accounts.call('GET', link.pathname + link.search, { headers })
    expect(answer.headers.get('location')).toBe(page[1])
    expect(await isVerified(id)).toBe(false)
  })
})

describe('POST /api/auth/verify-email', () => {
  const failed = [400, { error: expect.any(String), code: 'VerifyFailed' }]

  async function confirm(body: object, call: { session?: string; ip?: string } = {}) {
    const answer = await accounts.call('POST', '/api/auth/verify-email', { body, ...call })
    return [answer.status, await answer.json()]
  }

  async function newLink(email: string) {
    const user = await accounts.signUp(email)
    const token = linkIn((await mailTo(email)).text).searchParams.get('token') ?? ''
    return { ...user, token }
  }

  it('verifies by the password of the account, once', async () => {
    const { id, token } = await newLink('page@b.co')
    expect(await confirm({ token, password })).toEqual([200, { success: true }])
    expect(await isVerified(id)).toBe(true)
    expect(await confirm({ token, password })).toEqual(failed)
  })

  it('verifies by the session of the account, and by no other session', async () => {
    const { id, session, token } = await newLink('here@b.co')
    const other = await accounts.signUp('elsewhere@b.co')
    expect(await confirm({ token }, { session: other.session })).toEqual(failed)
    expect(await confirm({ token })).toEqual(failed)
    expect(await isVerified(id)).toBe(false)
    expect(await confirm({ token }, { session })).toEqual([200, { success: true }])
    expect(await isVerified(id)).toBe(true)
  })

  it('counts wrong passwords as failed sign-ins, over all addresses', async () => {
    const { id, token } = await newLink('guessed@b.co')
    for (let i = 0; i < 5; i++)
      expect(await confirm({ token, password: `guess ${i}` }, { ip: `203.0.113.${i}` })).toEqual(
        failed,
      )
    expect((await confirm({ token, password }))[0]).toBe(429)
    const body = { email: 'guessed@b.co', password }
    expect((await accounts.call('POST', '/api/auth/login', { body })).status).toBe(429)
    expect(await isVerified(id)).toBe(false)
  })

  it('costs one hash, with or without a valid link or a password', async () => {
    let hashes = 0
    const real = bcryptPasswords(4)
    const counted = await startAccounts({
      passwords: {
        ...real,
        matches: (...given) => {
          hashes++
          return real.matches(...given)
        },
      },
    })
    const { id } = await counted.signUp('keyless@b.co')
    const token = linkIn((await counted.mailTo('keyless@b.co', /Confirm/)).text).searchParams
    await counted.table.update({ pk: `user#${id}`, sk: 'profile' }, { remove: ['passwordHash'] })
    for (const one of [token.get('token'), 'A'.repeat(43), 'nonsense']) {
      hashes = 0
      const body = { token: one, password: 'any password' }
      const answer = await counted.call('POST', '/api/auth/verify-email', { body })
      expect([answer.status, hashes]).toEqual([400, 1])
    }
    await counted.close()
  })

  it.each([
    ['no token', { password }, /token required/],
    ['a number', { token: 7, password }, /token required/],
    ['a number as password', { token: 'x', password: 7 }, /password required/],
    ['an unknown token', { token: 'A'.repeat(43), password }, /unknown/],
  ])('rejects %s', async (_, body, message) => {
    expect(await confirm(body)).toEqual([
      400,
      expect.objectContaining({ error: expect.stringMatching(message) }),
    ])
  })
})

describe('the verification mail', () => {
  it('escapes the name in its greeting, and omits a name that could contain a message', async () => {
    const names = {
      'plain@b.co': 'Ada O’Neil & "Co"',
      'html@b.co': '<b>Ada</b>',
      'link@b.co': 'Win at evil.example',
      'header@b.co': 'Ada\r\nBcc: all@b.co',
    }
    for (const [email, name] of Object.entries(names))
      await accounts.call('POST', '/api/register', { body: { email, password, name } })
    const plain = await mailTo('plain@b.co')
    expect(plain.text).toMatch(/^Hello Ada O’Neil & "Co",\n/)
    expect(plain.html).toContain('Hello Ada O’Neil &amp; &quot;Co&quot;,')
    expect(plain.html).toContain(linkIn(plain.text).href)
    for (const email of ['html@b.co', 'link@b.co', 'header@b.co']) {
      const mail = await mailTo(email)
      expect(mail.text).toMatch(/^Hello,\n/)
      expect(mail.text + mail.html).not.toMatch(/<b>|evil|Bcc/)
    }
  })

  it('contains a token whose hash alone is stored', async () => {
    const { id } = await accounts.signUp('hashed@b.co')
    const token = linkIn((await mailTo('hashed@b.co')).text).searchParams.get('token') ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    const row = await accounts.table.get(await keyOf(token))
    expect(row).toMatchObject({ userId: id, email: 'hashed@b.co' })
    expect(Number(row?.expiresAt) - Date.now() / 1000).toBeCloseTo(86_400, -2)
    expect(JSON.stringify(row)).not.toContain(token)
  })

  it('is optional: a registration succeeds while the mail engine is down', async () => {
    const lonely = await startAccounts({
      mailer: createMailer(loadConfig({ SES_ENDPOINT: 'http://127.0.0.1:1' })),
    })
    expect(await lonely.signUp('alone@b.co')).toMatchObject({ id: expect.any(String) })
    await lonely.close()
  })

  it('is not sent if mail is not configured, without an error', async () => {
    const silent = await startAccounts({
      mailer: createMailer(loadConfig({ PLATFORM_STAGE: 'production' })),
    })
    await silent.signUp('quiet@b.co')
    expect(await silent.mails()).toEqual([])
    await silent.close()
  })
})
