import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { AgentCaller } from '#functions/backend/agent-mcp/context.ts'
import { schedules } from '#functions/backend/agent-mcp/schedules.ts'
import { listTasks } from '#shared/conversations/scheduled-tasks/list.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { type Bus, busCaller, signed } from '#tests/support/network/bus.ts'
import type { Decided } from '#tests/support/permits/decide.ts'
import { decideAndCarryOut } from '#tests/support/permits/decide.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { useBrokerScene } from '#tests/support/tools/broker-with-host.ts'
import { encryptionKey } from '#tests/support/tools/broker.ts'

const value = 'a-secret-of-the-credential'
const scene = useBrokerScene(value)

const guarded = { preset: 'guarded', rules: [] } as const

/** Decides an approval as the user, and runs the job with the settings of its function. */
const decide = (
  userId: string,
  approvalId: string,
  decision: 'approve' | 'deny' = 'approve',
): Promise<Decided> =>
  decideAndCarryOut(scene.accounts.table, {
    userId,
    approvalId,
    decision,
    settings: { WALLET_ENCRYPTION_KEY: encryptionKey, FETCH_ALLOW_HOSTS: scene.host },
  })

describe('a request of the broker that needs an approval', () => {
  const guard = () =>
    setPolicyOf(
      scene.accounts.table,
      { userId: scene.user.id, agentId: scene.agent.agentId },
      { ...guarded, rules: [] },
    )

  const post = (path = '/orders?x=1', headers: Record<string, string> = {}) =>
    scene.ask(`/api/${scene.host}${path}`, {
      method: 'POST',
      body: '{"n":1}',
      headers: { 'content-type': 'application/json', 'x-session': 'a%20topic', ...headers },
    })

  it('is answered with 202, sent after the approval with the credential, and only then', async () => {
    await guard()
    scene.answer = async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      response.statusCode = 201
      response.end(`got ${Buffer.concat(chunks).toString()} with ${request.headers.authorization}`)
    }
    const answer = await post()
    const pending = (await answer.json()) as { state: string; approvalId: string }
    expect([answer.status, pending]).toEqual([
      202,
      { state: 'pending', approvalId: expect.stringMatching(/^apr_/) },
    ])
    expect((await ((await post()).json() as Promise<typeof pending>)).approvalId).toBe(
      pending.approvalId,
    )
    expect(answer.headers.get('x-approval-id')).toBe(pending.approvalId)
    expect(scene.seen).toEqual([])
    const decided = await decide(scene.user.id, pending.approvalId)
    expect(decided.approval).toMatchObject({
      state: 'done',
      details: { session: 'a topic', target: { method: 'POST', path: '/orders' } },
      result: { status: 201, body: `got {"n":1} with Bearer ${'*'.repeat(value.length)}` },
    })
    expect(scene.seen).toHaveLength(1)
    const [sent] = scene.seen
    expect([sent?.method, sent?.url]).toEqual(['POST', '/orders?x=1'])
    expect(sent?.headers).toMatchObject({
      authorization: `Bearer ${value}`,
      'content-type': 'application/json',
      'idempotency-key': pending.approvalId,
    })
    expect(sent?.headers).not.toHaveProperty('x-session')
    expect(await scene.requests()).toMatchObject([{ method: 'POST', status: 201 }])
    await decided.again()
    expect(scene.seen).toHaveLength(1)
  })

  it('is not sent after a denial, and a request that reads needs none', async () => {
    await guard()
    const { approvalId } = (await (await post()).json()) as { approvalId: string }
    const { approval } = await decide(scene.user.id, approvalId, 'deny')
    expect(approval).toMatchObject({ state: 'denied', result: null })
    expect(scene.seen).toEqual([])
    scene.answer = (_, response) => response.setHeader('x-approval-id', 'apr_forged').end('here')
    const read = await scene.ask(`/api/${scene.host}/orders`)
    expect([read.status, read.headers.get('x-approval-id')]).toEqual([200, null])
  })

  it('fails if its credential was deleted, or its connection is cut', async () => {
    await guard()
    const asked = async () => ((await (await post()).json()) as { approvalId: string }).approvalId
    scene.answer = (request) => request.socket.destroy()
    const cut = await decide(scene.user.id, await asked())
    expect(cut.approval.result).toEqual({ error: expect.stringContaining('may have been done') })
    const gone = await asked()
    await scene.broker.call('DELETE', `${scene.agent.agentId}/broker-credentials/api`, {
      session: scene.user.session,
    })
    const { approval } = await decide(scene.user.id, gone)
    expect(approval).toMatchObject({
      state: 'failed',
      result: { error: 'Broker credential not found' },
    })
  })

  it('is refused with a body above 256 KB', async () => {
    await guard()
    const answer = await scene.ask(`/api/${scene.host}/big`, {
      method: 'POST',
      body: 'x'.repeat(256 * 1024 + 1),
    })
    expect(answer.status).toBe(413)
  })
})

describe('a message between agents that needs an approval', () => {
  let bus: Bus
  beforeAll(() => {
    bus = busCaller(scene.accounts.table)
  })

  it('is accepted once after the approval, with its old signature', async () => {
    const userId = await bus.subscriber()
    const [ada, bob] = [await bus.signer(userId), await bus.signer(await bus.subscriber())]
    await setPolicyOf(
      scene.accounts.table,
      { userId, agentId: ada.agent.id },
      { ...guarded, rules: [] },
    )
    const sent = await signed(ada, bob.agent)
    const { status, body } = await bus.send(sent)
    const { approvalId } = body as unknown as { approvalId: string }
    expect([status, body]).toEqual([202, { state: 'pending', approvalId }])
    expect(await bus.inboxOf(bob)).toEqual([])
    const decided = await decide(userId, approvalId)
    expect(decided.approval).toMatchObject({ state: 'done', result: { status: 200 } })
    await decided.again()
    expect(await bus.inboxOf(bob)).toMatchObject([{ message: { messageId: sent.messageId } }])
    expect((await bus.send(sent)).status).toBe(409)
  })

  it('is judged by its age when it is asked, not when it is sent', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const userId = await bus.subscriber()
      const [ada, bob] = [await bus.signer(userId), await bus.signer(await bus.subscriber())]
      const ids = { userId, agentId: ada.agent.id }
      await setPolicyOf(scene.accounts.table, ids, { ...guarded, rules: [] })
      const sent = await signed(ada, bob.agent)
      const { body } = await bus.send(sent)
      const { approvalId } = body as unknown as { approvalId: string }
      vi.setSystemTime(Date.now() + 3_600_000)
      expect((await bus.send(sent)).status).toBe(401)
      const { approval } = await decide(userId, approvalId)
      expect(approval).toMatchObject({ state: 'done' })
      expect(await bus.inboxOf(bob)).toMatchObject([
        { message: { timestamp: sent.timestamp, signature: sent.signature } },
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  it('fails if its recipient was deleted', async () => {
    const userId = await bus.subscriber()
    const [ada, bob] = [await bus.signer(userId), await bus.signer(await bus.subscriber())]
    await setPolicyOf(
      scene.accounts.table,
      { userId, agentId: ada.agent.id },
      { ...guarded, rules: [] },
    )
    const { body } = await bus.send(await signed(ada, bob.agent))
    await scene.accounts.table.delete({
      pk: `user#${bob.agent.userId}`,
      sk: `agent#${bob.agent.id}`,
    })
    const { approvalId } = body as unknown as { approvalId: string }
    const { approval } = await decide(userId, approvalId)
    expect(approval).toMatchObject({ state: 'failed', result: { error: 'Recipient not found' } })
  })
})

describe('a change of an agent’s own schedules that needs an approval', () => {
  async function startAgent() {
    const { table } = scene.accounts
    const { id: userId } = scene.user
    const { agentId } = scene.agent
    const agent = await setPolicyOf(table, { userId, agentId }, { ...guarded, rules: [] })
    const use = async (input: Record<string, unknown>) => {
      const ctx = { table, agent, seed: newSeed(), session: 'default' } as AgentCaller
      const result = await schedules.call(ctx, schedules.input.parse(input) as never)
      return result as { state?: string; approvalId: string }
    }
    const tasks = () => listTasks({ table, owner: userId }, {})
    return { userId, use, tasks }
  }

  it('is made after the approval, once', async () => {
    const { userId, use, tasks } = await startAgent()
    const task = { action: 'create', name: 'News', cron: '0 9 * * *', prompt: 'What is new?' }
    const made = await use(task)
    expect(made.state).toBe('pending')
    expect(await tasks()).toEqual([])
    const decided = await decide(userId, made.approvalId)
    expect(decided.approval).toMatchObject({ state: 'done', result: { status: 201 } })
    await decided.again()
    const [stored, ...others] = await tasks()
    expect([stored, others]).toMatchObject([{ name: 'News', prompt: 'What is new?' }, []])
    const changed = await use({ action: 'update', task: stored?.id, prompt: 'Anything?' })
    await decide(userId, changed.approvalId)
    expect(await tasks()).toMatchObject([{ prompt: 'Anything?' }])
    const removed = await use({ action: 'delete', task: stored?.id })
    const twice = await use({ action: 'update', task: stored?.id, prompt: 'Too late' })
    await decide(userId, removed.approvalId)
    expect(await tasks()).toEqual([])
    const { approval } = await decide(userId, twice.approvalId)
    expect(approval).toMatchObject({ state: 'failed', result: { error: 'Task not found' } })
  })

  it('is checked before it waits', async () => {
    const { use } = await startAgent()
    const invalid = { action: 'create', name: 'News', cron: 'never', prompt: 'What is new?' }
    await expect(use(invalid)).rejects.toMatchObject({ kind: 'bad-request' })
  })
})
