import { beforeAll, describe, expect, it } from 'vitest'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { untilDayHasTime } from '../support/clock/day.ts'
import { eventually } from '../support/clock/eventually.ts'
import { allEvents } from '../support/http/event-stream.ts'
import {
  asInternal,
  call,
  chat,
  platformOf,
  sharedTable,
  signUp,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'

beforeAll(untilDayHasTime)

/** A newcomer's steps; each depends on the steps before it. */
describe('a new user', () => {
  let user: TestUser
  let agentId: string

  it('registers, signs in and is identified by the session', async () => {
    user = await signUp()
    const { email } = user
    const known = { id: user.id, name: email, email, isAdmin: false }
    expect(await platformOf(user).auth.session()).toEqual(known)
  })

  it('gets a plan', async () => {
    const input = await call(`${stack().backend}/api/subscriptions/deploy`, {
      headers: asInternal(),
      body: { email: user.email, plan: 'solo', subscriptionId: 'sub_newcomer' },
    })
    expect([input.status, input.body]).toEqual([
      200,
      {
        success: true,
        userId: user.id,
        plan: 'solo',
        subscriptionId: 'sub_newcomer',
        status: 'active',
        resources: { memory: 2, cpu: 1 },
      },
    ])
    const settings = await platformOf(user).settings.get()
    expect(settings).toMatchObject({ id: user.id, plan: 'solo', credits: 0 })
  })

  it('provisions an agent, which soon runs', async () => {
    const request = await call(`${stack().web}/api/agents/provision`, {
      headers: user.session,
      body: { name: 'Rhythm' },
    })
    expect(request.status).toBe(201)
    expect(request.body).toEqual({
      success: true,
      agent: {
        id: expect.stringMatching(/^agt_[0-9a-z]{26}$/),
        name: 'Rhythm',
        status: 'provisioning',
        websocketUrl: expect.stringMatching(/^ws:\/\/rhythm-[0-9a-z]{8}\.agents\.localhost:\d+$/),
        model: 'claude-opus-4-6',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    })
    const [{ id } = { id: '' }] = await platformOf(user).agents.list()
    agentId = id
    await eventually(async () => {
      const { body } = await call(`${stack().web}/api/agents`, { headers: user.session })
      expect(body).toEqual({
        agents: [expect.objectContaining({ id: agentId, name: 'Rhythm', status: 'running' })],
        count: 1,
        status: 'ok',
      })
    })
  })

  it('sees the same agent as the trusted caller, with the status active', async () => {
    const url = `${stack().backend}/api/agents/${agentId}`
    const { body } = await call(url, { headers: asInternal(user.id) })
    expect(body).toMatchObject({ id: agentId, status: 'active', plan: 'label', verified: false })
    expect(body.watchdog).toMatchObject({ state: 'running', attempts: 0, incidents: [] })
  })

  it('talks to it', async () => {
    const { status, body } = await chat(user, { message: 'Who are you?' })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_/),
      agentId,
      message: 'Who are you?',
      reply: expect.stringContaining('stand-in'),
      model: 'local/echo',
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
      timestamp: expect.any(String),
    })
    expect(body.reply).toContain('You said: Who are you?')
  })

  it('talks to it in a stream: pieces first, the whole last', async () => {
    const response = await fetch(`${stack().web}/api/chat`, {
      method: 'POST',
      headers: { ...user.session, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Tell me more.', stream: true }),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = await allEvents(response)
    const pieces = events.slice(0, -1)
    expect(pieces.length).toBeGreaterThan(10)
    expect(new Set(pieces.map(({ event }) => event))).toEqual(new Set(['delta']))
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: {
        agentId,
        message: 'Tell me more.',
        reply: pieces.map(({ data }) => String(data.content)).join(''),
        usage: { total_tokens: expect.any(Number) },
      },
    })
  })

  it('finds both turns in the history', async () => {
    const messages = await platformOf(user).chat.history()
    expect(messages.map(({ sender }) => sender)).toEqual(['user', 'agent', 'user', 'agent'])
    expect(messages[2]?.content).toBe('Tell me more.')
  })

  it('has every call counted: an event each, and one rollup of the day', async () => {
    const table = sharedTable()
    const pk = userPartition(user.id)
    await eventually(async () => {
      const events = (await table.query({ pk, beginsWith: 'usage#' })).items
      expect(events).toHaveLength(2)
      for (const event of events)
        expect(event).toMatchObject({
          userId: user.id,
          agentId,
          kind: 'completion',
          model: 'local/echo',
          success: true,
        })
      const tokens = (name: 'inputTokens' | 'outputTokens') =>
        events.reduce((sum, event) => sum + Number(event[name]), 0)
      const [rollup, ...more] = (await table.query({ pk, beginsWith: 'rollup#' })).items
      expect(more).toEqual([])
      expect(rollup).toMatchObject({
        calls: 2,
        failures: 0,
        inputTokens: tokens('inputTokens'),
        outputTokens: tokens('outputTokens'),
      })
      expect(tokens('outputTokens')).toBeGreaterThan(0)
    })
  })
})
