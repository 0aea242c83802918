import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../shared/platform/crypto.ts'
import { createMailer } from '../../../shared/platform/mail/create.ts'
import { type Accounts, password, startAccounts } from '../../../tests/support/accounts.ts'

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

async function open(link: URL) {
  const answer = await accounts.call('GET', `${link.pathname}${link.search}`)
  return [answer.status, answer.headers.get('location')]
}

const good = [302, 'http://localhost:3000/login?verified=1']
const bad = [302, 'http://localhost:3000/login?error=VerifyFailed']

describe('GET /api/auth/verify-email', () => {
  it('verifies the address by the link in the mail, once', async () => {
    const { session } = await accounts.signUp('boss@b.co')
    const link = linkIn((await mailTo('boss@b.co')).text)
    expect(link.origin).toBe('http://localhost:3000')
    expect(await open(link)).toEqual(good)
    const answer = await accounts.call('GET', '/api/auth/session', { session })
    expect(await answer.json()).toMatchObject({ user: { isAdmin: true } })
    expect(await open(link)).toEqual(bad)
  })

  it('works once of two clicks at the same time', async () => {
    await accounts.signUp('twice@b.co')
    const link = linkIn((await mailTo('twice@b.co')).text)
    const answers = await Promise.all([open(link), open(link), open(link)])
    expect(answers.filter(([, to]) => to === good[1])).toHaveLength(1)
  })

  it('does not take a link after a day', async () => {
    await accounts.signUp('late@b.co')
    const link = linkIn((await mailTo('late@b.co')).text)
    const key = await keyOf(link.searchParams.get('token') ?? '')
    await accounts.table.update(key, { set: { expiresAt: Math.floor(Date.now() / 1000) } })
    expect(await open(link)).toEqual(bad)
  })

  it('does not take a link to an address that the user has left', async () => {
    const { id } = await accounts.signUp('left@b.co')
    const link = linkIn((await mailTo('left@b.co')).text)
    await accounts.table.update({ pk: `user#${id}`, sk: 'profile' }, { set: { email: 'new@b.co' } })
    expect(await open(link)).toEqual(bad)
    const row = await accounts.table.get({ pk: `user#${id}`, sk: 'profile' })
    expect(row?.emailVerified).toBe(false)
  })

  it.each(['', '?token=', '?token=nonsense', '?token=%00%23', '?tok=1&token[]=x'])(
    'answers %j with a redirect that says so',
    async (query) => {
      expect(await open(new URL(`http://x/api/auth/verify-email${query}`))).toEqual(bad)
    },
  )
})

describe('the verification mail', () => {
  it('escapes the name it greets, and leaves out one that could carry a message', async () => {
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

  it('does not hold the token that the table holds', async () => {
    const { id } = await accounts.signUp('hashed@b.co')
    const token = linkIn((await mailTo('hashed@b.co')).text).searchParams.get('token') ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    const row = await accounts.table.get(await keyOf(token))
    expect(row).toMatchObject({ userId: id, email: 'hashed@b.co' })
    expect(Number(row?.expiresAt) - Date.now() / 1000).toBeCloseTo(86_400, -2)
    expect(JSON.stringify(row)).not.toContain(token)
  })

  it('is not needed: a registration outlives a mail engine that is down', async () => {
    const lonely = await startAccounts({
      mailer: createMailer({ deployed: false, SES_ENDPOINT: 'http://127.0.0.1:1' }),
    })
    expect(await lonely.signUp('alone@b.co')).toMatchObject({ id: expect.any(String) })
    await lonely.close()
  })

  it('is not sent where mail is not configured, which breaks nothing', async () => {
    const silent = await startAccounts({ mailer: createMailer({ deployed: true }) })
    await silent.signUp('quiet@b.co')
    expect(await silent.mails()).toEqual([])
    await silent.close()
  })
})
