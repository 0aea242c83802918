import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endSessions } from '#shared/accounts/users/end-sessions.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { type Accounts, linkIn, password, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { eventContext } from '#tests/support/platform/context.ts'

fromMidMonth()

let accounts: Accounts

beforeAll(async () => {
  accounts = await startAccounts()
})
afterAll(() => accounts.close())

const newPassword = 'battery staple'
const subject = /new password/

function forget(body: unknown, headers: Record<string, string> = {}) {
  return accounts.call('POST', '/api/auth/forgot-password', { body, headers })
}

async function reset(body: unknown): Promise<[number, unknown]> {
  const answer = await accounts.call('POST', '/api/auth/reset-password', { body })
  return [answer.status, await answer.json()]
}

async function signIn(email: string, password: string): Promise<number> {
  return (await accounts.call('POST', '/api/auth/login', { body: { email, password } })).status
}

async function isSignedIn(session: string): Promise<boolean> {
  return (await platformOver(accounts.call, { session }).auth.session()) !== null
}

/** Requests a link and returns the token from the email. */
async function tokenFor(email: string): Promise<string> {
  expect((await forget({ email })).status).toBe(200)
  await accounts.sendResets()
  return linkIn(await accounts.mailTo(email, subject)).searchParams.get('token') ?? ''
}

const refused = [400, { error: 'The token is unknown, used or expired' }]
const done = [200, { message: expect.any(String) }]

describe('POST /api/auth/forgot-password', () => {
  it('returns the same with and without an account, and mails only an existing one', async () => {
    await accounts.signUp('known@b.co')
    const answers = await Promise.all(
      [' KNOWN@b.co', 'unknown@b.co', '0xabc@wallet.service'].map(async (email) => {
        const answer = await forget({ email })
        const { headers, status } = answer
        return { status, type: headers.get('content-type'), body: await answer.json() }
      }),
    )
    expect(answers[0]).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    await accounts.sendResets()
    const sent = (await accounts.mails()).filter((mail) => subject.test(mail.subject))
    expect(sent.map(({ to }) => to)).toEqual(['known@b.co'])
  })

  it.each([
    ['no email', {}, /email required/],
    ['an empty one', { email: ' ' }, /email required/],
    ['a list', { email: ['a@b.co'] }, /email required/],
    ['an invalid address', { email: 'ada' }, /email/],
    ['two addresses', { email: 'a@b.co,c@d.co' }, /email/],
    ['a header injection', { email: 'a@b.co\r\nBcc: c@d.co' }, /email/],
    ['look-alike letters', { email: 'ada@example.\u212Aom' }, /email/],
  ])('rejects %s', async (_, body, message) => {
    const answer = await forget(body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(message) })
  })

  it('rejects bots', async () => {
    const bots = [
      await forget({ email: 'a@b.co' }, { 'user-agent': '' }),
      await forget({ email: 'a@b.co' }, { 'user-agent': 'Googlebot/2.1' }),
      await forget({ email: 'a@b.co', website: 'https://spam.example' }),
    ]
    for (const answer of bots)
      expect([answer.status, await answer.json()]).toEqual([
        403,
        { error: expect.any(String), code: 'BOT_DETECTED' },
      ])
  })

  it('sends at most five mails an hour to a mailbox, each with a valid link', async () => {
    await accounts.signUp('flooded@b.co')
    for (let i = 0; i < 12; i++) await forget({ email: 'flooded@b.co' })
    await accounts.sendResets()
    const sent = (await accounts.mails()).filter(
      (mail) => mail.to === 'flooded@b.co' && subject.test(mail.subject),
    )
    expect(sent).toHaveLength(5)
    const token = linkIn(sent[0]!).searchParams.get('token')
    expect(await reset({ token, password: newPassword })).toEqual(done)
  })
})

it('disables the webhooks of the account’s agents, until their owner sets them again', async () => {
  const { table } = accounts
  const config = { webhookUrl: 'https://thief.example/hook/secret', color: 'blue' }
  const { id } = await accounts.signUp('planted@b.co')
  const bystander = await accounts.signUp('not-planted@b.co')
  const [agent, other] = [
    await putAgent(table, id, { config }),
    await putAgent(table, bystander.id, { config }),
  ]
  const configOf = async (agentId: string) =>
    (await findAgent({ table }, { agentId, owner: undefined }))?.config
  const token = await tokenFor('planted@b.co')
  expect(await reset({ token: `${token}x`, password: newPassword })).toEqual(refused)
  expect(await configOf(agent.id)).toEqual(config)
  expect(await reset({ token, password: newPassword })).toEqual(done)
  expect(await configOf(agent.id)).toEqual({ color: 'blue' })
  expect(await configOf(other.id)).toEqual(config)
  const { text } = await accounts.mailTo('planted@b.co', /was changed/)
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`${agent.id} (https://thief.example)`)
  expect(text).not.toContain('secret')
})

it('mails which agents run a chosen image, since when, and by which credential', async () => {
  const { table } = accounts
  const { id } = await accounts.signUp('swapped@b.co')
  const bystander = await accounts.signUp('not-swapped@b.co')
  const swapped = await putAgent(table, id, {
    pinnedImage: 'thief.example/agent:1',
    imageChange: { at: '2026-11-20T10:00:00.000Z', by: 'key:key_1' },
  })
  const earlier = await putAgent(table, id, { pinnedImage: 'registry.example/mine:2' })
  const untouched = await putAgent(table, id, {})
  const others = await putAgent(table, bystander.id, { pinnedImage: 'registry.example/other:1' })
  const token = await tokenFor('swapped@b.co')
  expect(await reset({ token, password: newPassword })).toEqual(done)
  const mail = await accounts.mailTo('swapped@b.co', /was changed/)
  const text = mail.text.replaceAll(/\s+/g, ' ')
  expect(text).toContain(
    `${swapped.id} (thief.example/agent:1, chosen on 2026-11-20T10:00:00.000Z by key key_1); ${earlier.id} (registry.example/mine:2).`,
  )
  for (const agent of [untouched, others]) expect(text).not.toContain(agent.id)
})

describe('POST /api/auth/reset-password', () => {
  it('sets the password by the mailed link, and ends every session', async () => {
    const { session } = await accounts.signUp('ada@b.co')
    expect((await forget({ email: 'ada@b.co' })).status).toBe(200)
    await accounts.sendResets()
    const mail = await accounts.mailTo('ada@b.co', subject)
    const link = linkIn(mail)
    expect(link.href).toMatch(/^http:\/\/localhost:3000\/reset-password\?token=[\w-]{43}$/)
    expect(mail.html).toContain(`href="${link.href}"`)
    const token = link.searchParams.get('token')
    expect(await reset({ token, password: newPassword })).toEqual(done)
    expect(await signIn('ada@b.co', password)).toBe(401)
    expect(await signIn('ada@b.co', newPassword)).toBe(200)
    expect(await isSignedIn(session)).toBe(false)
    const notice = await accounts.mailTo('ada@b.co', /password was changed/)
    expect(notice.text + notice.html).not.toContain(newPassword)
  })

  it.each([
    ['no token', { password: newPassword }, /token required/],
    ['an empty token', { token: '', password: newPassword }, /token required/],
    ['no password', { token: 'x' }, /password required/],
    ['5 characters', { token: 'x', password: '12345' }, /at least 6/],
    ['73 bytes', { token: 'x', password: 'é'.repeat(36) + 'x' }, /at most 72/],
    ['a NUL', { token: 'x', password: 'correct\0horse' }, /NUL/],
    ['an unknown token', { token: 'A'.repeat(43), password: newPassword }, /unknown/],
    ['a long token', { token: 'A'.repeat(100_000), password: newPassword }, /unknown/],
    ['half a character', { token: '\uD800', password: newPassword }, /unknown/],
  ])('rejects a reset with %s', async (_, body, message) => {
    const [status, answer] = await reset(body)
    expect(status).toBe(400)
    expect(answer).toMatchObject({ error: expect.stringMatching(message) })
  })

  it.each([
    ['6 characters', '123456'],
    ['72 bytes of four-byte letters', '🐎'.repeat(18)],
  ])('accepts %s', async (_, chosen) => {
    const email = `takes${chosen.length}@b.co`
    await accounts.signUp(email)
    const token = await tokenFor(email)
    expect(await reset({ token, password: chosen })).toEqual(done)
    expect(await signIn(email, chosen)).toBe(200)
  })

  it('accepts a token once, under concurrent use', async () => {
    await accounts.signUp('once@b.co')
    const token = await tokenFor('once@b.co')
    const tries = Array.from({ length: 20 }, (_, i) =>
      reset({ token, password: `${newPassword} ${i}` }),
    )
    const answers = await Promise.all(tries)
    const winner = answers.findIndex(([status]) => status === 200)
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    expect(answers.filter(([status]) => status === 400)).toHaveLength(19)
    expect(await signIn('once@b.co', `${newPassword} ${winner}`)).toBe(200)
    expect(await reset({ token, password: newPassword })).toEqual(refused)
    const key = { pk: `reset#${await sha256Hex(token)}`, sk: 'reset' }
    expect(await accounts.table.get(key)).toBeUndefined()
  })

  it('rejects all other links once one was used', async () => {
    await accounts.signUp('twice@b.co')
    const first = await tokenFor('twice@b.co')
    const second = await tokenFor('twice@b.co')
    expect(second).not.toBe(first)
    expect(await reset({ token: first, password: newPassword })).toEqual(done)
    expect(await reset({ token: second, password: 'of the thief' })).toEqual(refused)
  })

  it('rejects a link after an hour', async () => {
    await accounts.signUp('late@b.co')
    const token = await tokenFor('late@b.co')
    const key = { pk: `reset#${await sha256Hex(token)}`, sk: 'reset' }
    const row = await accounts.table.get(key)
    expect(Number(row?.expiresAt) - Date.now() / 1000).toBeCloseTo(3600, -2)
    expect(JSON.stringify(row)).not.toContain(token)
    await accounts.table.update(key, { set: { expiresAt: Math.floor(Date.now() / 1000) } })
    expect(await reset({ token, password: newPassword })).toEqual(refused)
  })

  it('rejects a link from before all sessions ended or the address changed', async () => {
    const { id } = await accounts.signUp('moved@b.co')
    const before = await tokenFor('moved@b.co')
    await endSessions(eventContext(accounts.table), { userId: id })
    expect(await reset({ token: before, password: newPassword })).toEqual(refused)
    const toOldAddress = await tokenFor('moved@b.co')
    await accounts.table.update({ pk: `user#${id}`, sk: 'profile' }, { set: { email: 'x@b.co' } })
    expect(await reset({ token: toOldAddress, password: newPassword })).toEqual(refused)
  })

  it('rejects a link of another kind', async () => {
    await accounts.signUp('kind@b.co')
    const mail = await accounts.mailTo('kind@b.co', /Confirm/)
    const token = linkIn(mail).searchParams.get('token')
    expect(await reset({ token, password: newPassword })).toEqual(refused)
  })

  it('unlocks a user who was locked out by failures', async () => {
    await accounts.signUp('locked@b.co')
    for (let i = 0; i < 5; i++) await signIn('locked@b.co', 'wrong guess')
    expect(await signIn('locked@b.co', password)).toBe(429)
    const token = await tokenFor('locked@b.co')
    expect(await reset({ token, password: newPassword })).toEqual(done)
    expect(await signIn('locked@b.co', newPassword)).toBe(200)
  })

  it('sets a first password for a user with other ways to sign in', async () => {
    const { id } = await accounts.signUp('keyless@b.co')
    const profile = { pk: `user#${id}`, sk: 'profile' }
    await accounts.table.update(profile, { remove: ['passwordHash'] })
    expect(await signIn('keyless@b.co', password)).toBe(401)
    const token = await tokenFor('keyless@b.co')
    expect(await reset({ token, password: newPassword })).toEqual(done)
    expect(await signIn('keyless@b.co', newPassword)).toBe(200)
  })
})
