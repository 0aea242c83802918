import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { removeConnections } from '#shared/tools/connections/remove.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type Departures, startDepartures } from '#tests/support/billing/account-deletions.ts'
import { lostQueues } from '#tests/support/platform/context.ts'
import { Killed, killedProcess, writes } from '#tests/support/platform/killed-process.ts'
import { encryptionKey } from '#tests/support/tools/broker.ts'
import { connectionsOver } from '#tests/support/tools/connections.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
  startProtectedServer,
} from '#tests/support/tools/sign-in-server.ts'
import * as schedule from '../../scheduled/channels-due.ts'

let on: Departures
let signIn: AuthorizationServer
let server: Awaited<ReturnType<typeof startProtectedServer>>
let platform: ReturnType<typeof connectionsOver>
let ada: { id: string; session: string }
let agentId: string

beforeAll(async () => {
  on = await startDepartures()
  signIn = await startAuthorizationServer()
  server = await startProtectedServer(signIn)
  platform = connectionsOver(on.table, { allowed: [server.host, signIn.host] })
})
afterAll(async () => {
  vi.useRealTimers()
  await Promise.all([on.close(), signIn.close(), server.close()])
})
beforeEach(async () => {
  vi.useRealTimers()
  ada = await on.member()
  agentId = (await putAgent(on.table, ada.id)).id
  signIn.events.length = 0
  signIn.played.before = undefined
})

/** Signs in at the server. @returns the access token and the refresh token */
async function connect(name = 'notes'): Promise<[string, string]> {
  const body = { name, url: server.url }
  const created = await platform.ask('POST', `${agentId}/connections`, ada.session, body)
  await signIn.signIn(platform.browser(ada.session), String(created.body['authorizeUrl']))
  const { secrets } = await platform.open({ userId: ada.id, agentId }, name)
  return secrets.slice(0, 2) as [string, string]
}

/** Returns whether the server still accepts the tokens. */
async function isValid([access, refresh]: [string, string]): Promise<boolean[]> {
  const { AccessToken, RefreshToken } = signIn.provider
  const found = await Promise.all([AccessToken.find(access), RefreshToken.find(refresh)])
  return found.map((token) => token !== undefined)
}

/** Runs the schedule. @returns the number of attempts */
async function tick(table: Table = on.table): Promise<unknown> {
  const { services } = schedule.wire(
    loadConfig({
      WALLET_ENCRYPTION_KEY: encryptionKey,
      FETCH_ALLOW_HOSTS: `${server.host},${signIn.host}`,
      TABLE_NAME: 'unused',
    }) as never,
  )
  const figures = await schedule.tick({
    ...services,
    table,
    queues: lostQueues,
    log: createLog(),
    scheduledAt: Date.now(),
  })
  return (figures as { revocations: unknown }).revocations
}

const pass = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
const removed = (table = on.table) =>
  removeConnections({
    table,
    store: userStore(table, ada.id),
    agentId,
    deadline: Date.now() + 60_000,
  })
const breakServer = () => {
  signIn.played.before = (path, response) => {
    if (!path.startsWith('/token/revocation')) return false
    response.writeHead(503).end()
    return true
  }
}

describe('the tokens of a connection', () => {
  it('are revoked within a minute when its agent is deleted', async () => {
    const both = [await connect('notes'), await connect('wiki')]
    const ref = { agentId, owner: ada.id }
    await deleteAgent(on.fleet.services, ref)
    await on.fleet.deliver()
    expect(await tick()).toBe(2)
    for (const tokens of both) expect(await isValid(tokens)).toEqual([false, false])
    expect(await tick()).toBe(0)
  })

  it('are revoked when the account of its owner is deleted', async () => {
    const tokens = await connect()
    const { session, id } = ada
    const body = { password: 'correct horse' }
    const deleted = await on.routeOver()('POST', '/api/account/delete', { session, body })
    expect(deleted.status).toBe(202)
    await on.carryOut(id)
    await on.fleet.deliver()
    expect(await isValid(tokens)).toEqual([true, true])
    await tick()
    expect(await isValid(tokens)).toEqual([false, false])
  })

  it('are revoked later, if the server is down at the deletion', async () => {
    const tokens = await connect()
    breakServer()
    const path = `${agentId}/connections/notes`
    expect((await platform.ask('DELETE', path, ada.session)).status).toBe(200)
    expect(await tick()).toBe(1)
    expect(await tick()).toBe(0)
    signIn.played.before = undefined
    pass(61_000)
    expect(await tick()).toBe(1)
    expect(await isValid(tokens)).toEqual([false, false])
  })

  it('are given up after the last attempt', async () => {
    await connect()
    breakServer()
    await removed()
    let tries = 0
    for (let minutes = 0; minutes < 48 * 60; minutes += 30) {
      tries += Number(await tick())
      pass(1_800_000)
    }
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThanOrEqual(11)
    expect(await tick()).toBe(0)
  })

  it('are given up at once if the server no longer knows the platform', async () => {
    const tokens = await connect()
    await removed()
    signIn.played.before = (path, response) => {
      if (!path.startsWith('/token/revocation')) return false
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"error":"invalid_client"}')
      return true
    }
    expect(await tick()).toBe(1)
    signIn.played.before = undefined
    pass(3_600_000)
    expect(await tick()).toBe(0)
    expect(await isValid(tokens)).toEqual([true, true])
  })

  it('are revoked after a kill at any write', async () => {
    for (let step = 0; ; step++) {
      const tokens = await connect()
      const death = { calls: Math.floor(step / 2), isLastCarriedOut: step % 2 === 1 }
      const dying = killedProcess({ ...death, counts: writes })
      const work = async () => {
        await removed(dying.reach(on.table))
        await tick(dying.reach(on.table))
      }
      await work().catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error
      })
      await removed()
      pass(3_600_000)
      await tick()
      expect(await isValid(tokens)).toEqual([false, false])
      expect(await tick()).toBe(0)
      if (!dying.isKilled()) break
    }
  })

  it('are revoked if the connection is deleted while its owner signs in', async () => {
    const body = { name: 'notes', url: server.url }
    const created = await platform.ask('POST', `${agentId}/connections`, ada.session, body)
    const path = `${agentId}/connections/notes`
    signIn.played.before = async (requested) => {
      if (requested === '/token') await platform.ask('DELETE', path, ada.session)
      return false
    }
    const browser = platform.browser(ada.session)
    const arrived = await signIn.signIn(browser, String(created.body['authorizeUrl']))
    expect(arrived.url.href).toBe(
      `http://localhost:3000/agents/${agentId}/connections?connection=notes&error=expired`,
    )
    expect(signIn.events).toEqual(['registered', 'authorization_code', 'revoked'])
  })
})
