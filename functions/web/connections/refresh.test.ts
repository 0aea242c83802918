import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { agentEventRows } from '#shared/agents/record/rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { killedProcess, writes } from '#tests/support/platform/killed-process.ts'
import { connectionsOver } from '#tests/support/tools/connections.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
  startProtectedServer,
} from '#tests/support/tools/sign-in-server.ts'

let accounts: Keys
let signIn: AuthorizationServer
let server: Awaited<ReturnType<typeof startProtectedServer>>
let platform: ReturnType<typeof connectionsOver>
let allowed: string[]
let ada: { id: string; session: string }
let agent: { userId: string; agentId: string }
let rotates = true
let users = 0

beforeAll(async () => {
  accounts = await startKeys()
  signIn = await startAuthorizationServer({ settings: { rotateRefreshToken: () => rotates } })
  server = await startProtectedServer(signIn)
  allowed = [server.host, signIn.host]
})
afterAll(async () => {
  await Promise.all([accounts.close(), signIn.close(), server.close()])
})
beforeEach(async () => {
  rotates = true
  signIn.played.before = undefined
  platform = connectionsOver(accounts.table, { allowed })
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agent = { userId: ada.id, agentId: (await putAgent(accounts.table, ada.id)).id }
  await connect()
  signIn.events.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

async function connect(): Promise<void> {
  const body = { name: 'notes', url: server.url }
  const created = await platform.ask('POST', `${agent.agentId}/connections`, ada.session, body)
  const browser = platform.browser(ada.session)
  await signIn.signIn(browser, String(created.body['authorizeUrl']))
}

function pass(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

const tokenOf = async (process = platform, refused?: string) =>
  (await process.open(agent, 'notes', refused)).secrets[0]!

const state = async () => {
  const { body } = await platform.ask('GET', `${agent.agentId}/connections`, ada.session)
  return (body['connections'] as Record<string, unknown>[])[0]
}

describe('an access token', () => {
  it('is renewed once by several requests of two processes, before it expires', async () => {
    const first = await tokenOf()
    const other = connectionsOver(accounts.table, { allowed })
    pass(3_580_000)
    const tokens = await Promise.all(
      [platform, other, platform, other].map((process) => tokenOf(process)),
    )
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).not.toBe(first)
    expect(signIn.events).toEqual(['refresh_token'])
    expect(await signIn.provider.AccessToken.find(tokens[0]!)).toMatchObject({ aud: server.url })
  })

  it('is renewed once after the server has refused it, each time with the latest refresh token', async () => {
    const first = await tokenOf()
    const [second, same] = await Promise.all([tokenOf(platform, first), tokenOf(platform, first)])
    expect(same).toBe(second)
    const third = await tokenOf(platform, second)
    expect(new Set([first, second, third]).size).toBe(3)
    expect(signIn.events).toEqual(['refresh_token', 'refresh_token'])
  })

  it('stays while the authorization server fails', async () => {
    const first = await tokenOf()
    signIn.played.before = (_, response) => {
      response.writeHead(503).end()
      return true
    }
    await expect(tokenOf(platform, first)).rejects.toMatchObject({
      code: 'CONNECTION_REFRESH_FAILED',
    })
    expect(await state()).toMatchObject({ state: 'connected' })
    signIn.played.before = undefined
    expect(await tokenOf(platform, first)).not.toBe(first)
  })

  it('makes other requests wait for its renewal for a limited time', async () => {
    const first = await tokenOf()
    const begun = Promise.withResolvers<undefined>()
    const released = Promise.withResolvers<undefined>()
    signIn.played.before = async (path) => {
      if (path === '/token') {
        begun.resolve(undefined)
        await released.promise
      }
      return false
    }
    const renewing = tokenOf(platform, first)
    await begun.promise
    const other = connectionsOver(accounts.table, { allowed, waits: { refreshMs: 1 } })
    await expect(tokenOf(other, first)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'CONNECTION_BUSY',
      headers: { 'Retry-After': '5' },
    })
    released.resolve(undefined)
    expect(await renewing).not.toBe(first)
    expect(signIn.events).toEqual(['refresh_token'])
  })
})

describe('a refresh token that the server no longer accepts', () => {
  it('signs the connection out, and its owner is told once, by name', async () => {
    const { secrets } = await platform.open(agent, 'notes')
    await (await signIn.provider.RefreshToken.find(secrets[1]!))?.destroy()
    const other = connectionsOver(accounts.table, { allowed })
    const asked = [platform, other, platform, other].map((one) => tokenOf(one, secrets[0]))
    for (const { status, reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
      expect([status, reason]).toMatchObject(['rejected', { code: 'CONNECTION_SIGNED_OUT' }])
    expect(await state()).toMatchObject({
      state: 'signed-out',
      reason: 'The server has ended the sign-in.',
    })
    const told = new Set([...platform.mails, ...other.mails].map((mail) => mail.once))
    expect(told.size).toBe(1)
    expect([...platform.mails, ...other.mails][0]?.subject).toBe(
      'The connection notes of Ada is signed out',
    )
    const { items } = await userStore(accounts.table, ada.id).query({
      beginsWith: agentEventRows.prefix({ agentId: agent.agentId }),
    })
    expect(items.map((item) => agentEventRows.parse(item).text)).toEqual([
      'Connection notes is signed out: The server has ended the sign-in.',
    ])
    await expect(tokenOf()).rejects.toMatchObject({ code: 'CONNECTION_SIGNED_OUT' })
    expect(new Set([...platform.mails, ...other.mails].map((mail) => mail.once)).size).toBe(1)
  })

  it('lets its owner sign in again, with the same tools allowed', async () => {
    const path = `${agent.agentId}/connections/notes`
    const allow = { tools: { allow: ['read'] } }
    expect((await platform.ask('PATCH', path, ada.session, allow)).status).toBe(200)
    const { secrets } = await platform.open(agent, 'notes')
    await (await signIn.provider.RefreshToken.find(secrets[1]!))?.destroy()
    await expect(tokenOf(platform, secrets[0])).rejects.toMatchObject({ kind: 'conflict' })
    const { body } = await platform.ask('POST', `${path}/authorize`, ada.session)
    expect(body).toMatchObject({ state: 'signed-out', authorizeUrl: expect.any(String) })
    await signIn.signIn(platform.browser(ada.session), String(body['authorizeUrl']))
    expect(await state()).toMatchObject({
      state: 'connected',
      tools: [{ name: 'read', allowed: true }, { allowed: false }],
    })
    expect(await tokenOf()).toEqual(expect.any(String))
  })
})

describe('a process that is killed while it renews', () => {
  const kills = [0, 1].flatMap((calls) =>
    [false, true].map((isLastCarriedOut) => ({ calls, isLastCarriedOut })),
  )

  async function killAt(death: (typeof kills)[number], refused: string): Promise<void> {
    const dying = killedProcess({ ...death, counts: writes })
    const process = connectionsOver(dying.reach(accounts.table), { allowed })
    await tokenOf(process, refused).catch(() => {})
    expect(dying.isKilled()).toBe(true)
  }

  it.each(kills)(
    'leaves tokens that the next process renews after the lease: %o',
    async (death) => {
      rotates = false
      const first = await tokenOf()
      await killAt(death, first)
      pass(31_000)
      const next = await tokenOf(platform, first)
      expect(next).not.toBe(first)
      expect(await signIn.provider.AccessToken.find(next)).toBeDefined()
      expect(await state()).toMatchObject({ state: 'connected' })
    },
  )

  it.each(kills)(
    'signs out only if the server had rotated a token that was not stored: %o',
    async (death) => {
      const first = await tokenOf()
      await killAt(death, first)
      const isLost = death.calls === 1 && !death.isLastCarriedOut
      pass(31_000)
      if (!isLost) {
        expect(await tokenOf(platform, first)).not.toBe(first)
        return
      }
      await expect(tokenOf(platform, first)).rejects.toMatchObject({
        code: 'CONNECTION_SIGNED_OUT',
      })
      expect(platform.mails).toHaveLength(1)
    },
  )

  it('tells the owner later, if it was killed before the mail', async () => {
    const { secrets } = await platform.open(agent, 'notes')
    await (await signIn.provider.RefreshToken.find(secrets[1]!))?.destroy()
    const dying = killedProcess({ calls: 1, isLastCarriedOut: true, counts: writes })
    const process = connectionsOver(dying.reach(accounts.table), { allowed })
    await tokenOf(process, secrets[0]).catch(() => {})
    expect([process.mails.length, await state()]).toMatchObject([0, { state: 'signed-out' }])
    await expect(tokenOf()).rejects.toMatchObject({ code: 'CONNECTION_SIGNED_OUT' })
    await expect(tokenOf()).rejects.toMatchObject({ code: 'CONNECTION_SIGNED_OUT' })
    expect(platform.mails).toHaveLength(1)
  })
})
