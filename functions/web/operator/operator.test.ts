import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { userRows } from '#shared/accounts/users/rows.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import { createCatalogue } from '#shared/ai/gateway/models/catalogue.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { functions, queues } from '#shared/manifest/index.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { queueDepth } from '#shared/platform/queues/depth.ts'
import { queueRedrive } from '#shared/platform/queues/redrive.ts'
import { createQueues } from '#stacks/local/queues/create.ts'
import { startQueueEngine } from '#stacks/local/queues/engine.ts'
import { auditOf } from '#tests/support/accounts/audit.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { testModelSets } from '#tests/support/ai/model-sets.ts'
import { startUpstream } from '#tests/support/ai/upstream.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import * as group from '../operator.ts'

const adminEmails = ['root@b.co']

let keys: Keys
let dir: string
let engine: Awaited<ReturnType<typeof startQueueEngine>>
let sqs: SQSClient
let urls: Readonly<Record<string, string>>
let services: group.Services
let call: ReturnType<typeof callerOf>
let root: { id: string; session: string }
let eve: { id: string; session: string }
let users = 0

const operator = () => platformOver(call, { session: root.session }).operator

beforeAll(async () => {
  useLocalCredentials()
  keys = await startKeys({ adminEmails })
  dir = await mkdtemp(join(tmpdir(), 'operator-'))
  engine = await startQueueEngine({ dir })
  sqs = new SQSClient({ endpoint: engine.endpoint })
  urls = await createQueues(sqs, { queues, functions })
  const { table } = keys
  const providers = createProviders({
    ...loadConfig({}),
    // No service listens on port 9.
    AI_PROVIDERS: '{"house": {"baseUrl": "http://127.0.0.1:9/v1", "apiKey": "sk-of-the-house"}}',
  })
  services = {
    table,
    watchedQueues: { depthOf: queueDepth(engine.endpoint), urls },
    redrive: queueRedrive(engine.endpoint),
    providers,
    catalogue: createCatalogue(providers),
    adminEmails,
  }
  call = callerOf(group, services, adminEmails)
  root = await keys.signUp('root@b.co')
  await table.update(userRows.key({ userId: root.id }), { set: { emailVerified: true } })
})
afterAll(async () => {
  sqs.destroy()
  await Promise.all([engine.close(), keys.close()])
  await rm(dir, { recursive: true, force: true })
})
beforeEach(async () => {
  eve = await keys.signUp(`eve-${++users}@b.co`)
})

const get = async (path: string) => {
  const answer = await call('GET', `/api/operator/${path}`, { session: root.session })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Record<string, never>
}

const routes = [
  ['GET', 'agents'],
  ['GET', 'incidents'],
  ['GET', 'queues'],
  ['GET', 'users'],
  ['GET', 'providers'],
  ['POST', 'queues/mails/redrive'],
] as const

describe.each(routes)('%s /api/operator/%s', (method, path) => {
  const ask = (caller: object) => call(method, `/api/operator/${path}`, caller)

  it('requires the session of an administrator', async () => {
    const { key } = await keys.newKey(root.session, 'all', { scopes: ['admin'] })
    for (const caller of [{ session: eve.session }, { key }]) {
      const answer = await ask(caller)
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({ code: 'ADMIN_REQUIRED' })
    }
    for (const caller of [{}, { session: `${root.id}.wrong` }, { key: 'sk_wrong' }])
      expect((await ask(caller)).status).toBe(401)
  })

  it('is recorded in the audit of its user, and rejections are not', async () => {
    const before = (await auditOf(keys.table, root.id)).length
    expect((await ask({ session: root.session })).status).toBe(200)
    const view = method === 'POST' ? 'redrive' : path
    const added = (await auditOf(keys.table, root.id)).slice(before)
    expect(added).toMatchObject([
      {
        action: `operator.${view}`,
        actor: `user:${root.id}`,
        target: method === 'POST' ? 'mails' : view,
      },
    ])
    await ask({ session: eve.session })
    expect((await auditOf(keys.table, eve.id)).map(({ action }) => action)).toEqual([
      'account.created',
    ])
  })
})

it('rejects an unverified address of an administrator', async () => {
  await keys.table.update(userRows.key({ userId: root.id }), { set: { emailVerified: false } })
  const answer = await call('GET', '/api/operator/users', { session: root.session })
  await keys.table.update(userRows.key({ userId: root.id }), { set: { emailVerified: true } })
  expect(answer.status).toBe(403)
})

it.each([
  'agents?limit=x',
  'agents?limit=-1',
  'agents?cursor=nobody',
  'agents?status=odd',
  'incidents?open=maybe',
  'users?limit=1.5',
])('rejects %s', async (path) => {
  const answer = await call('GET', `/api/operator/${path}`, { session: root.session })
  expect(answer.status).toBe(400)
})

describe('lists', () => {
  it('contain agents and incidents of every user, without config', async () => {
    const at = '2031-01-01T00:00:00Z'
    const incident = {
      at,
      cause: 'no answer',
      step: 'restart',
      attempt: 1,
      resolvedAt: at,
    } as const
    const agent = await putAgent(keys.table, eve.id, {
      config: { systemPrompt: 'a secret prompt' },
      watchdog: { ...newWatchdog(Date.now()), incidents: [incident] },
    })
    const agents = await get(`agents?userId=${eve.id}`)
    expect(agents).toMatchObject({ agents: [{ id: agent.id, userId: eve.id }], nextCursor: null })
    expect(JSON.stringify(agents)).not.toContain('secret prompt')
    expect(await get(`incidents?userId=${eve.id}`)).toMatchObject({
      incidents: [{ agentId: agent.id, agentName: agent.name, at }],
    })
    expect(await get(`incidents?userId=${eve.id}&open=true`)).toMatchObject({ incidents: [] })
  })

  it('contain users newest first, a page at a time, each once and without secrets', async () => {
    const made = [eve.id]
    for (let i = 0; i < 4; i++) made.unshift((await keys.signUp(`u-${++users}@b.co`)).id)
    const found: { id: string }[] = []
    let cursor = ''
    do {
      const page = await operator().users.list({ limit: 2, ...(cursor && { cursor }) })
      const { users: shown, nextCursor } = page
      expect(shown.length).toBeLessThanOrEqual(2)
      found.push(...shown)
      cursor = nextCursor ?? ''
    } while (cursor !== '')
    const ids = found.map(({ id }) => id)
    expect(ids.slice(0, 5)).toEqual(made)
    expect(new Set(ids).size).toBe(ids.length)
    expect(found.find(({ id }) => id === root.id)).toMatchObject({
      email: 'root@b.co',
      isAdmin: true,
    })
    expect(found.find(({ id }) => id === eve.id)).toMatchObject({ plan: 'free', isAdmin: false })
    expect(JSON.stringify(found)).not.toMatch(/password|hash/i)
  })

  it('contain the state of the providers, without keys', async () => {
    const found = await get('providers')
    expect(found).toMatchObject({
      providers: [
        { name: 'house', host: '127.0.0.1:9', healthy: false, standIn: false, unlistedModels: [] },
      ],
    })
    expect(JSON.stringify(found)).not.toContain('sk-of-the-house')
  })

  it('contain the models of plans and the demo that their provider no longer lists', async () => {
    const upstream = await startUpstream()
    const { label } = testModelSets.PLAN_MODELS
    upstream.list([{ id: label[0] }, { id: 'another/model' }])
    const providers = createProviders({
      ...loadConfig({}),
      AI_BASE_URL: upstream.baseUrl,
      PLAN_MODELS: { label, solo: label, collective: label },
      TASK_MODELS: { reasoning: label, coding: label, fast: label, creative: label },
      DEMO_MODELS: label,
    })
    const catalogue = createCatalogue(providers)
    const over = callerOf(group, { ...services, providers, catalogue }, adminEmails)
    const answer = await over('GET', '/api/operator/providers', { session: root.session })
    await upstream.close()
    expect(await answer.json()).toMatchObject({
      providers: [{ name: 'router', healthy: true, unlistedModels: label.slice(1) }],
    })
  })
})

describe('a queue with dead letters', () => {
  const put = (name: string, MessageBody: string) =>
    sqs.send(new SendMessageCommand({ QueueUrl: `${urls[name]}-dead`, MessageBody }))
  const redrive = async (name: string) => {
    const path = `/api/operator/queues/${name}/redrive`
    return call('POST', path, { session: root.session })
  }

  it('is listed with its dead letters, and redelivers them', async () => {
    const bodies = Array.from({ length: 23 }, (_, i) => `{"i":${i}}`)
    for (const body of bodies) await put('notices', body)
    const row = async () => (await operator().queues.list()).find(({ name }) => name === 'notices')
    expect(await row()).toEqual({ name: 'notices', waiting: 0, dead: 23, oldestAt: null })
    expect(await (await redrive('notices')).json()).toEqual({ name: 'notices', moved: 23, dead: 0 })
    expect(await row()).toEqual({ name: 'notices', waiting: 23, dead: 0, oldestAt: null })
    const received = new Set<string>()
    while (received.size < bodies.length) {
      const receive = { QueueUrl: urls.notices, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(receive))
      expect(Messages).not.toEqual([])
      for (const { Body = '' } of Messages) received.add(Body)
    }
    expect(received).toEqual(new Set(bodies))
  })

  it('loses no letter if the process is killed while moving it', async () => {
    await put('splits', '{"split":1}')
    const send = SQSClient.prototype.send as (this: SQSClient, command: object) => Promise<object>
    const dying = vi.spyOn(SQSClient.prototype, 'send').mockImplementation(async function (
      this: SQSClient,
      command: object,
    ) {
      if (command instanceof DeleteMessageCommand) throw new Error('killed')
      return send.call(this, command)
    })
    await expect(queueRedrive(engine.endpoint)(urls.splits ?? '')).rejects.toThrow('killed')
    dying.mockRestore()
    const depth = await queueDepth(engine.endpoint)(urls.splits ?? '')
    expect(depth.waiting).toBe(1)
  })

  it.each(['nothing', 'mails-dead', 'constructor', '__proto__'])('%s is not found', async (name) =>
    expect((await redrive(name)).status).toBe(404),
  )
})
