import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { splitRows, userSplitRows } from '#shared/network/splits/rows.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { startVideos, type VideoWorld } from '#tests/support/tools/videos.ts'
import { type Services as KeyServices, routes as keyRoutes } from '../keys.ts'
import { type Services as RunServices, routes } from '../runs.ts'

let world: VideoWorld
let call: ReturnType<typeof callerOf<RunServices & KeyServices>>

/** The messages that were sent for agents. */
const sent: unknown[] = []
const queues: Queues = {
  send: async (_, message) => void sent.push(message),
  sendAll: async (_, messages) => void sent.push(...messages),
}

beforeAll(async () => {
  world = await startVideos()
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { table } = world
  const config = loadConfig({})
  const services = {
    table,
    queues,
    config,
    encryptionKey,
    hashes: keyHashes({ cost: 4 }),
    adminEmails: [],
  }
  call = callerOf<RunServices & KeyServices>({ routes: [...routes, ...keyRoutes] }, services)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

type Credential = { session: string } | { key: string }

async function ask(method: string, path: string, who: Credential, body?: object) {
  const answer = await call(method, path, { ...who, ...(body !== undefined && { body }) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const cancel = (who: Credential, id: string, body?: object) =>
  ask('POST', `/api/runs/${id}/cancel`, who, body)

const runsOf = (who: Credential) => platformOver(call, who).runs.list()

async function keyThatMayChat(session: string) {
  const fields = { name: 'k', scopes: ['read', 'chat'] }
  return { key: String((await ask('POST', '/api/keys', { session }, fields)).body.key) }
}

const needsWriting = { status: 403, body: { code: 'SCOPE_REQUIRED', scope: 'write' } }
const ended = { status: 409, body: { code: 'RUN_ENDED' } }

describe('cancelling ends', () => {
  it('a start: its agent is stopped, once', async () => {
    const [ada, eve] = [await world.newUser(), await world.newUser()]
    const { table } = world
    const { id: agentId } = await putAgent(table, ada.id, {
      status: 'provisioning',
      generation: 2,
      taskArn: 'arn:aws:ecs:eu-central-1:0:task/a/1',
    })
    const [run] = await runsOf(ada)
    const id = String(run?.id)
    expect((await cancel(eve, id)).status).toBe(404)
    expect(await cancel(await keyThatMayChat(ada.session), id)).toMatchObject(needsWriting)
    expect(await cancel(ada, id.replace(/2$/, '1'))).toMatchObject(ended)
    expect((await cancel(ada, id.replace(/2$/, '3'))).status).toBe(404)
    expect(sent).toEqual([])
    expect((await cancel(ada, id, { reason: 'wrong model' })).status).toBe(202)
    expect(await findAgent({ table }, { agentId, owner: ada.id })).toMatchObject({
      status: 'stopped',
      desired: 'stopped',
      stopReason: { code: 'UserInitiated', text: 'Stopped by a person: wrong model' },
    })
    expect(sent).toContainEqual(expect.objectContaining({ agentId }))
    expect(await cancel(ada, id)).toMatchObject(ended)
  })

  it('no start of a running agent', async () => {
    const ada = await world.newUser()
    const { id: agentId } = await putAgent(world.table, ada.id)
    expect(await cancel(ada, `start_${agentId}_1`)).toMatchObject(ended)
    const agent = await findAgent({ table: world.table }, { agentId, owner: ada.id })
    expect(agent).toMatchObject({ status: 'running', desired: 'running' })
  })

  it('a video that was not ordered, even if a process is about to order it', async () => {
    const [ada, eve] = [await world.newUser(), await world.newUser()]
    const id = await world.order(ada.session)
    const message = world.sent.at(-1)?.message
    if (message === undefined) throw new Error('a video sends a message')
    expect((await cancel(eve, id)).status).toBe(404)
    expect(await cancel(await keyThatMayChat(ada.session), id)).toMatchObject(needsWriting)
    const requestCount = world.provider.taken.length
    const { table } = world
    // The process has claimed the job; its next write would record that the order is about to be sent.
    let isFirst = true
    await world.turn(message, {
      table: {
        ...table,
        async update(key, change) {
          if (!isFirst) expect((await cancel(ada, id, { reason: 'too dear' })).status).toBe(202)
          isFirst = false
          return table.update(key, change)
        },
      },
    })
    expect(world.provider.taken).toHaveLength(requestCount)
    expect(await world.job(ada.session, id)).toMatchObject({
      status: 'failed',
      error: 'Cancelled: too dear',
    })
    expect(await runsOf(ada)).toMatchObject([{ id, kind: 'video', state: 'cancelled' }])
    expect(await cancel(ada, id)).toMatchObject(ended)
    // The order's slot is free again.
    for (let i = 0; i < 5; i++) await world.order(ada.session)
  })
})

describe('a run that cannot be cancelled returns the reason', () => {
  it('a video that was ordered cannot be cancelled, and returns the reason', async () => {
    const ada = await world.newUser()
    const id = await world.order(ada.session)
    const message = world.sent.at(-1)?.message
    if (message !== undefined) await world.turn(message)
    const { status, body } = await cancel(ada, id)
    expect([status, body.code]).toEqual([409, 'NOT_CANCELLABLE'])
    expect(body.error).toContain('sent to its provider')
  })

  it('a split cannot be cancelled, and returns the reason', async () => {
    const ada = await world.newUser()
    const split = {
      splitId: 7,
      userId: ada.id,
      agentId: 'agt_1',
      chainId: 1,
      token: '0x',
      fromAddress: '0x',
      name: 'Rent',
      totalAmount: '1',
      status: 'processing' as const,
      createdAt: new Date().toISOString(),
      recipients: [],
      revision: 1,
    }
    await world.table.transact([
      { put: splitRows.put({ splitId: '7' }, split) },
      { put: userSplitRows.put({ userId: ada.id, number: '000000000007' }, { splitId: 7 }) },
    ])
    const { status, body } = await cancel(ada, 'split_7')
    expect([status, body.code]).toEqual([409, 'NOT_CANCELLABLE'])
    expect(body.error).toContain('payments may already be sent')
  })
})
