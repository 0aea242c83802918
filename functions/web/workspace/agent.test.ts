import { beforeEach, describe, expect, it } from 'vitest'
import { useWorkspaces } from '#tests/support/conversations/workspace.ts'
import { say, sendJson } from '../../../agent/gateway/testing/upstream.ts'

const on = useWorkspaces()

beforeEach(() => {
  on.workspaces.models.reply = (response) => say(response, 'Fine, thanks.')
})

function ask(query = '', session = on.ada.session) {
  return on.workspaces.call('GET', `/api/agent${query}`, { session })
}

function act(body: Record<string, unknown>, session = on.ada.session) {
  return on.workspaces.call('POST', '/api/agent', { body, session })
}

const missing = { status: 404, body: { error: 'Agent not found' } }

describe('a workspace request', () => {
  it('a workspace request without an action returns the agent and the actions', async () => {
    const actions = {
      GET: ['health', 'sessions', 'session', 'memory', 'skills', 'credentials'],
      POST: ['chat', 'create-session', 'update-skill', 'set-credential'],
    }
    const { id, name, model, plan, status, createdAt } = on.agent
    const shown = { id, name, model, plan, status, createdAt }
    expect(await ask()).toEqual({ status: 200, body: { agent: shown, actions } })
    expect(await ask(`?agentId=${on.agent.id}`)).toEqual(await ask())
  })

  it('a workspace request for health returns the agent’s own health', async () => {
    expect((await ask('?action=health')).body).toEqual({
      agentId: on.agent.id,
      status: 'running',
      healthy: true,
      failing: [],
      uptimeMs: expect.any(Number),
      error: null,
    })
    await on.workspaces.crash(on.agent)
    const dead = { healthy: false, uptimeMs: null, error: 'The agent cannot be reached' }
    expect(await ask('?action=health')).toMatchObject({ status: 200, body: dead })
    const stopped = await on.workspaces.stoppedAgent(on.ada.id)
    expect((await ask(`?action=health&agentId=${stopped.id}`)).body).toMatchObject({
      status: 'stopped',
      healthy: false,
      error: 'The agent is not running',
    })
  })

  it('a workspace request for memory and skills returns the same as their own routes', async () => {
    await on.workspaces.write(on.agent, { a: 'b' })
    expect((await ask('?action=memory')).body).toMatchObject({ memory: { a: 'b' }, count: 1 })
    expect((await ask('?action=skills')).body).toEqual({ skills: [], count: 0 })
    const body = { skillId: 'sql-helper', agentId: on.agent.id }
    await on.workspaces.call('POST', '/api/skills', { body, session: on.ada.session })
    expect((await ask('?action=skills')).body).toEqual({
      skills: [
        {
          id: 'sql-helper',
          name: 'SQL helper',
          description: expect.any(String),
          version: '1.0.0',
          enabled: true,
          installedAt: expect.stringMatching(/Z$/),
        },
      ],
      count: 1,
    })
  })

  it('is rejected for other users, users without an agent, and invalid types', async () => {
    const all = ['', '&action=health', '&action=sessions', '&action=memory', '&action=credentials']
    for (const action of all)
      expect(await ask(`?agentId=${on.agent.id}${action}`, on.eve.session)).toEqual(missing)
    expect(await ask('', on.eve.session)).toEqual(missing)
    expect((await on.workspaces.call('GET', '/api/agent')).status).toBe(401)
    for (const query of ['?action=explode', '?action=constructor', '?action=session', '?agentId='])
      expect((await ask(query)).status).toBe(400)
  })
})

describe('a conversation', () => {
  it('is created, continued, listed and read', async () => {
    const opened = await act({ action: 'create-session' })
    expect(opened).toEqual({
      status: 200,
      body: { sessionId: expect.stringMatching(/^ses_/), status: 'created' },
    })
    const { sessionId } = opened.body
    expect(await act({ action: 'chat', message: 'How are you?', sessionId })).toEqual({
      status: 200,
      body: { sessionId, reply: 'Fine, thanks.', timestamp: expect.stringMatching(/Z$/) },
    })
    expect((await ask('?action=sessions')).body).toEqual({
      sessions: [
        {
          sessionId,
          title: null,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        },
      ],
      count: 1,
    })
    expect((await ask(`?action=session&sessionId=${String(sessionId)}`)).body).toEqual({
      sessionId,
      title: null,
      createdAt: expect.any(String),
      messages: [
        { role: 'user', content: 'How are you?', createdAt: expect.any(String) },
        { role: 'assistant', content: 'Fine, thanks.', createdAt: expect.any(String) },
      ],
      count: 2,
    })
  })

  it('begins with the first message if the request does not name one, and continues by its name', async () => {
    const { body } = await act({ action: 'chat', message: 'My name is Ada.' })
    await act({ action: 'chat', message: 'Who am I?', sessionId: body.sessionId })
    const heard = () => JSON.stringify(on.workspaces.models.lastCall.body.messages)
    expect(heard()).toContain('My name is Ada.')
    const other = await act({ action: 'chat', message: 'Who am I?' })
    expect(other.body.sessionId).not.toBe(body.sessionId)
    expect(heard()).not.toContain('My name is Ada.')
  })

  it('is not visible to another agent, and not a file', async () => {
    const { body } = await act({ action: 'chat', message: 'Hi' })
    const other = await on.workspaces.newAgent(on.ada.id)
    const query = `?action=session&sessionId=${String(body.sessionId)}`
    expect((await ask(`${query}&agentId=${other.id}`)).status).toBe(404)
    for (const id of ['..%2F..%2Fmemory', '..', '%2e%2e/memory', '%00'])
      expect((await ask(`?action=session&sessionId=${id}`)).status).toBeOneOf([400, 404])
  })

  it('a conversation with an unavailable agent fails as chat does', async () => {
    const stopped = await on.workspaces.stoppedAgent(on.ada.id)
    const calls = [
      () => act({ action: 'chat', message: 'Hi', agentId: stopped.id }),
      () => act({ action: 'create-session', agentId: stopped.id }),
      () => ask(`?action=sessions&agentId=${stopped.id}`),
    ]
    for (const call of calls)
      expect(await call()).toMatchObject({ status: 409, body: { code: 'AGENT_NOT_RUNNING' } })
    await on.workspaces.crash(on.agent)
    const unreachable = { status: 502, body: { code: 'AGENT_UNREACHABLE' } }
    expect(await ask(`?action=sessions&agentId=${on.agent.id}`)).toMatchObject(unreachable)
    expect(await act({ action: 'chat', message: 'Hi', agentId: on.agent.id })).toMatchObject(
      unreachable,
    )
  })

  it('returns the AI gateway’s errors', async () => {
    const error = { message: 'Spend cap reached', code: 'SPEND_CAP_REACHED', capUsd: 5 }
    on.workspaces.models.reply = (response) => sendJson(response, 429, { error })
    expect(await act({ action: 'chat', message: 'Hi' })).toMatchObject({
      status: 429,
      body: { code: 'SPEND_CAP_REACHED', capUsd: 5 },
    })
  })
})

describe('a skill', () => {
  it('is disabled and enabled, in the agent too', async () => {
    const skillId = 'sql-helper'
    const body = { skillId, agentId: on.agent.id }
    await on.workspaces.call('POST', '/api/skills', { body, session: on.ada.session })
    const prompt = async () => {
      await act({ action: 'chat', message: 'Hi' })
      return on.workspaces.models.lastCall.body.messages[0]?.content
    }
    expect(await prompt()).toContain('SQL helper')
    expect(await act({ action: 'update-skill', skillId, enabled: false })).toEqual({
      status: 200,
      body: { success: true, skillId, enabled: false, deployed: true },
    })
    expect((await ask('?action=skills')).body).toMatchObject({ skills: [{ enabled: false }] })
    expect(await prompt()).not.toContain('SQL helper')
    const again = await on.workspaces.restart(on.agent)
    await on.workspaces.sync(again)
    expect(await prompt()).not.toContain('SQL helper')
    await act({ action: 'update-skill', skillId, enabled: true })
    expect(await prompt()).toContain('SQL helper')
  })

  it('a skill that is not installed is not found', async () => {
    for (const skillId of ['sql-helper', '../memory', 'constructor'])
      expect(await act({ action: 'update-skill', skillId, enabled: true })).toEqual({
        status: 404,
        body: { error: 'Skill not found' },
      })
  })
})

it.each([
  ['no action', {}],
  ['an unknown action', { action: 'explode' }],
  ['a prototype’s name', { action: '__proto__' }],
  ['an empty message', { action: 'chat' }],
  ['a blank message', { action: 'chat', message: ' ' }],
  ['a session without a name', { action: 'chat', message: 'Hi', sessionId: ' ' }],
  ['a session with a long name', { action: 'chat', message: 'Hi', sessionId: 'a'.repeat(101) }],
  ['no skill', { action: 'update-skill', enabled: true }],
  ['no switch', { action: 'update-skill', skillId: 'sql-helper', enabled: 'yes' }],
])('rejects %s', async (_, body) => {
  expect(await act(body)).toEqual({ status: 400, body: { error: expect.any(String) } })
  expect((await act(body, on.eve.session)).status).toBe(400)
  expect((await on.workspaces.call('POST', '/api/agent', { body })).status).toBe(401)
})
