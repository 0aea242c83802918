import { beforeAll, describe, expect, it } from 'vitest'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { embeddedImages } from '#stacks/local/agent-runtime.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  agentOf,
  asInternal,
  call,
  chat,
  newSubscriber,
  runningAgent,
  secretsOf,
  sharedTable,
  stack,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'
import { type AgentProcess, processesOf } from '../support/stack/processes.ts'

const telegramToken = '123456789:AAF-of-a-bot-that-is-nobodys-wxyz'

/** Returns the process of an agent's generation, once it responds. */
async function processOf(user: TestUser, id: string, generation: number): Promise<AgentProcess> {
  await eventually(async () => {
    expect(processesOf(stack().dataDir, id)).toMatchObject([{ generation }])
    expect(await agentOf(user, id)).toMatchObject({ status: 'running' })
  })
  return processesOf(stack().dataDir, id)[0] as AgentProcess
}

/** Returns whether an agent's gateway accepts a token. */
async function opens({ environment }: AgentProcess, token: string): Promise<boolean> {
  const { status } = await call(`http://127.0.0.1:${environment.GATEWAY_PORT}/memory`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect([200, 401]).toContain(status)
  return status === 200
}

/** Returns the number of prompt tokens for one message; the stand-in model counts four characters as one token. */
async function promptTokens({ agentId, generation, environment }: AgentProcess, content: string) {
  const { GATEWAY_TOKEN } = await secretsOf({ agentId, generation })
  const url = `http://127.0.0.1:${environment.GATEWAY_PORT}/v1/chat/completions`
  const headers = { authorization: `Bearer ${GATEWAY_TOKEN}` }
  const { body } = await call(url, { headers, body: { messages: [{ role: 'user', content }] } })
  return (body.usage as { prompt_tokens: number }).prompt_tokens
}

describe('a person’s agent', () => {
  let user: TestUser
  let id: string
  const internal = (verb: string, method = 'POST', body?: object) =>
    call(`${stack().backend}/api/agents/${id}/${verb}`, {
      method,
      headers: asInternal(user.id),
      ...(body !== undefined && { body }),
    })

  beforeAll(async () => {
    user = await newSubscriber('solo')
    // Its events contain the name, so all characters must pass through the queues.
    id = await runningAgent(user, 'Rhythm 🥁\uffff')
  })

  it('applies a new config by a restart, and shows its secrets to no user', async () => {
    const url = `${stack().web}/api/agents/${id}/config`
    const config = { systemPrompt: 'Sing. '.repeat(100), telegramToken, spendCapUsd: 5 }
    const { status, body } = await call(url, {
      method: 'PUT',
      headers: user.session,
      body: { config },
    })
    expect(status).toBe(200)
    const shown = { ...config, telegramToken: '••••wxyz' }
    expect(body).toEqual({ config: shown, status: 'updated' })
    const container = await processOf(user, id, 2)
    expect(Object.keys(container.environment)).not.toContain('TELEGRAM_TOKEN')
    // Each model call begins with the prompt: 600 characters, and a few for the messages.
    expect(await promptTokens(container, 'Hi')).toBeGreaterThan(150)
    expect((await call(url, { headers: user.session })).body).toEqual({
      config: shown,
      status: 'ok',
    })
    const { items } = await sharedTable().query({ pk: userPartition(user.id) })
    expect(JSON.stringify(items)).not.toContain(telegramToken)
  })

  it('uses its token until that is rotated', async () => {
    const { body: before } = await internal('token', 'GET')
    const old = String(before.token)
    expect(await opens(await processOf(user, id, 2), old)).toBe(true)
    const { body: after } = await internal('token')
    const next = await processOf(user, id, 3)
    expect([await opens(next, old), await opens(next, String(after.token))]).toEqual([false, true])
    expect((await chat(user, { message: 'Still there?', agentId: id })).status).toBe(200)
  })

  it('is updated to another image of this machine', async () => {
    const [own, other] = embeddedImages
    const { status, body } = await internal('update', 'POST', { image: other })
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        status: 'provisioning',
        image: other,
        previousImage: own,
        runtimeVersion: '1.0.0',
      },
    ])
    await processOf(user, id, 4)
    expect(await agentOf(user, id)).toMatchObject({ runtimeVersion: 'latest' })
  })

  it('is controlled through its instance, too', async () => {
    const tell = (verb: string) =>
      call(`${stack().web}/api/instance/${id}/${verb}`, { method: 'POST', headers: user.session })
    expect((await tell('reset-memory')).body).toMatchObject({ success: true })
    expect((await tell('stop')).body).toEqual({ success: true, status: 'stopped' })
    await untilStatus(user, id, 'stopped')
    expect((await tell('start')).body).toEqual({ success: true, status: 'provisioning' })
    await processOf(user, id, 5)
  })
})

describe('POST /api/provision', () => {
  it('creates an agent with a channel on either surface, and it runs', async () => {
    const user = await newSubscriber('collective')
    const body = { telegramToken, name: 'Rhythm' }
    const web = await call(`${stack().web}/api/provision`, { headers: user.session, body })
    const backend = await call(`${stack().backend}/api/provision`, {
      headers: asInternal(),
      body: {
        ...body,
        userId: user.id,
        plan: 'collective',
        aiProvider: 'router',
        subscriptionId: 'sub',
      },
    })
    expect([web.status, backend.status]).toEqual([201, 201])
    const channels = { telegram: true, discord: false, whatsapp: false }
    for (const answer of [web, backend]) {
      expect(answer.body).toMatchObject({ success: true, userId: user.id, channels })
      const container = await processOf(user, String(answer.body.agentId), 1)
      expect(Object.values(container.environment)).not.toContain(telegramToken)
    }
  })
})
