import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { channels } from './channels.ts'
import { composeNotice } from './compose.ts'
import { deliverNotice } from './deliver.ts'

/** Starts a chat service and a team webhook on one port; `status` is the next status of each. */
const received: { path: string; body: unknown }[] = []
const status: Record<string, number> = {}
let server: Server
let base: string
let database: TestTable
let incident = 0

beforeAll(async () => {
  database = await startTestTable()
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      received.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) })
      response.writeHead(status[path] ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await database.close()
})

beforeEach(() => {
  received.length = 0
  for (const path of Object.keys(status)) delete status[path]
})

const both = () =>
  channels({
    ...loadConfig({}),
    NOTIFY_TEAM_WEBHOOK_URL: `${base}/team`,
    NOTIFY_CHAT_API_URL: base,
    NOTIFY_CHAT_BOT_TOKEN: '42:hush',
    NOTIFY_CHAT_ADMIN_ID: '7',
  })

const ctx = () => ({ table: database.table, channels: both() })

const named = {
  kind: 'degraded',
  agentId: 'agt_1',
  cause: 'lost',
  attempt: 0,
  step: 'detected',
} as const

function crashLoop() {
  incident += 1
  const facts = {
    kind: 'crash_loop',
    agentId: 'agt_1',
    agentName: 'Ada',
    cause: 'exit code 1',
    attempt: 2,
    step: 'crash_loop',
    incidentAt: `incident-${incident}`,
  } as const
  return composeNotice(facts, Date.UTC(2026, 0, 1))
}

describe('a notice', () => {
  it('is sent to both channels in their formats', async () => {
    await deliverNotice(ctx(), crashLoop())
    const sentence =
      'Ada keeps failing and was stopped: exit code 1. Start, restart or repair it to try again.'
    expect(received.find(({ path }) => path === '/team')?.body).toEqual({
      kind: 'crash_loop',
      agentId: 'agt_1',
      agentName: 'Ada',
      cause: 'exit code 1',
      attempt: 2,
      at: '2026-01-01T00:00:00.000Z',
      text: sentence,
      content: sentence,
    })
    expect(received.find(({ path }) => path === '/bot42:hush/sendMessage')?.body).toEqual({
      chat_id: '7',
      text: sentence,
    })
  })

  it('mentions no person and contains no link, for any name that a user chose', async () => {
    const agentName = '<!channel> @everyone [Sign in](https://evil.example) \u202ex'
    incident += 1
    const facts = { ...named, agentName, incidentAt: `incident-${incident}` }
    await deliverNotice(ctx(), composeNotice(facts, 0))
    const text = '‹!channel› ＠everyone [Sign in] (https://evil.example) x is degraded: lost.'
    const [first, second] = received.map(({ body }) => (body as { text: string }).text)
    expect([first, second]).toEqual([text, text])
    expect(received.find(({ path }) => path === '/team')?.body).toMatchObject({
      agentName,
      content: text,
    })
  })

  it('is sent once, under repeated and concurrent deliveries', async () => {
    const message = crashLoop()
    await Promise.allSettled(Array.from({ length: 10 }, () => deliverNotice(ctx(), message)))
    await deliverNotice(ctx(), message)
    expect(received.map(({ path }) => path).sort()).toEqual(['/bot42:hush/sendMessage', '/team'])
  })

  it('is retried only on the failed channel, and logs no secret', async () => {
    const message = crashLoop()
    status['/bot42:hush/sendMessage'] = 502
    const failure = await deliverNotice(ctx(), message).catch((error: unknown) => error as Error)
    expect(failure?.message).toBe('the chat channel responded with 502')
    status['/bot42:hush/sendMessage'] = 200
    await deliverNotice(ctx(), message)
    expect(received.filter(({ path }) => path === '/team')).toHaveLength(1)
    expect(received.filter(({ path }) => path !== '/team')).toHaveLength(2)
  })

  it('is resumed after a killed delivery', async () => {
    const message = crashLoop()
    const now = Date.now()
    const begun = Promise.withResolvers<void>()
    const send = () => {
      begun.resolve()
      return new Promise<void>(() => {})
    }
    void deliverNotice({ table: database.table, channels: [{ name: 'team', send }] }, message, now)
    await begun.promise
    await expect(deliverNotice(ctx(), message, now)).rejects.toThrow('in progress')
    await deliverNotice(ctx(), message, now + 61_000)
    expect(received.filter(({ path }) => path === '/team')).toHaveLength(1)
  })

  it('is not sent if no channel is configured', async () => {
    const unconfigured = channels({ ...loadConfig({}), NOTIFY_CHAT_API_URL: base })
    await deliverNotice({ table: database.table, channels: unconfigured }, crashLoop())
    expect(received).toEqual([])
  })
})
