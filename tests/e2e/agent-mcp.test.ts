import type { Client } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, it } from 'vitest'
import { requireAgent } from '#shared/agents/record/find.ts'
import { untilDayHasTime } from '../support/clock/day.ts'
import { eventually } from '../support/clock/eventually.ts'
import { connectClient, eras } from '../support/http/mcp-client.ts'
import { namesOf, use } from '../support/programs/mcp-client.ts'
import {
  call,
  lifecycle,
  newSubscriber,
  runningAgent,
  secretsOf,
  sharedTable,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'

const url = () => `${stack().backend}/mcp`

let owner: TestUser
let agentId: string
let siblingId: string
let key: string

async function keyOf(id: string): Promise<string> {
  const ctx = { table: sharedTable() }
  const { generation } = await requireAgent(ctx, { agentId: id, owner: undefined })
  return (await secretsOf({ agentId: id, generation })).AI_API_KEY
}

/** Switches an agent's tools without a restart. */
async function allow(user: TestUser, id: string, mcp: boolean | null): Promise<void> {
  const answer = await call(`${stack().web}/api/agents/${id}/config?apply=false`, {
    method: 'PUT',
    headers: user.session,
    body: { config: { mcp } },
  })
  expect(answer.status).toBe(200)
}

const connected = (bearer = key, era?: (typeof eras)[number]) =>
  connectClient(url(), bearer, era === undefined ? {} : { era })

const web = (path: string, body?: unknown, method?: string) =>
  call(`${stack().web}${path}`, {
    headers: owner.session,
    body,
    ...(method !== undefined && { method }),
  })

const taskOf = async (id: string) => {
  const body = { agentId: id, name: 'Own', cronSchedule: '0 9 * * *', prompt: 'What is new?' }
  return String((await web('/api/scheduled-tasks', body)).body.id)
}

beforeAll(async () => {
  await untilDayHasTime()
  owner = await newSubscriber('collective')
  agentId = await runningAgent(owner, 'Viola')
  siblingId = await runningAgent(owner, 'Cello')
  await allow(owner, agentId, true)
  key = await keyOf(agentId)
})

describe.each(eras)('an agent whose config allows it, by the protocol of %s', (era) => {
  it('writes its own notes, which its owner sees', async () => {
    const by = await connected(key, era)
    expect(await namesOf(by)).toEqual([
      'buy',
      'call_service',
      'get_usage',
      'list_channels',
      'list_services',
      'manage_schedules',
      'read_page',
      'search_memory',
      'send_file',
      'send_message',
      'write_memory',
    ])
    await use(by, 'write_memory', { key: era, text: 'She likes tea.' })
    expect(await use(by, 'search_memory', { query: 'TEA' })).toMatchObject({
      notes: { [era]: 'She likes tea.' },
    })
    const { body } = await web(`/api/memory?agentId=${agentId}`)
    expect(body.memory).toMatchObject({ [era]: 'She likes tea.' })
    await use(by, 'write_memory', { key: era, text: null })
    expect((await use(by, 'search_memory', {})).notes).not.toHaveProperty(era)
    await by.close()
  })

  it('creates its own tasks, changes and deletes them', async () => {
    const by = await connected(key, era)
    const input = { name: 'Daily', cron: '0 9 * * *', prompt: 'What is new?' }
    const made = await use(by, 'manage_schedules', { action: 'create', ...input })
    expect(made).toMatchObject({ agentId, enabled: true, cronSchedule: input.cron })
    const task = String(made.id)
    await use(by, 'manage_schedules', { action: 'update', task, enabled: false })
    const { body } = await web(`/api/scheduled-tasks?agentId=${agentId}`)
    expect(body.tasks).toMatchObject([{ id: task, enabled: false }])
    expect(await use(by, 'manage_schedules', { action: 'list' })).toEqual({ tasks: body.tasks })
    await use(by, 'manage_schedules', { action: 'delete', task })
    expect(await use(by, 'manage_schedules', { action: 'list' })).toEqual({ tasks: [] })
    await by.close()
  })

  it('reads its own usage', async () => {
    const message = { agentId, message: 'hello' }
    expect((await web('/api/chat', message)).status).toBe(200)
    const by = await connected(key, era)
    // Usage is recorded after the answer.
    await eventually(async () => {
      const { data } = await use(by, 'get_usage', { days: 1 })
      expect(data).toEqual([expect.objectContaining({ events: expect.any(Number) })])
    })
    expect(await use(by, 'get_usage', { by: 'tools' })).toEqual({ data: [] })
    await by.close()
  })
})

describe('content of others', () => {
  let by: Client
  const refused = (words: RegExp) => ({
    isError: true,
    content: [{ text: expect.stringMatching(words) }],
  })
  const ask = (name: string, args: object) => by.callTool({ name, arguments: { ...args } })

  beforeAll(async () => {
    by = await connected()
  })

  it('is not found: tasks, notes and usage of another agent of its owner', async () => {
    const task = await taskOf(siblingId)
    for (const action of ['update', 'delete'])
      expect(await ask('manage_schedules', { action, task, enabled: false })).toMatchObject(
        refused(/not found/),
      )
    const { body } = await web(`/api/scheduled-tasks?agentId=${siblingId}`)
    expect(body.tasks).toMatchObject([{ id: task, enabled: true }])
    expect(await use(by, 'manage_schedules', { action: 'list' })).toEqual({ tasks: [] })
    await web('/api/memory', { agentId: siblingId, key: 'secret', memory: 'of the other' })
    // Fields that name another agent are ignored.
    const named = { agent: siblingId, agentId: siblingId }
    expect((await use(by, 'search_memory', named)).notes).not.toHaveProperty('secret')
    await use(by, 'write_memory', { ...named, key: 'mine', text: 'x' })
    expect((await web(`/api/memory?agentId=${siblingId}`)).body.memory).toEqual({
      secret: 'of the other',
    })
    const created = await use(by, 'manage_schedules', {
      ...named,
      action: 'create',
      name: 'n',
      cron: '0 9 * * *',
      prompt: 'p',
    })
    expect(created).toMatchObject({ agentId })
    await use(by, 'manage_schedules', { action: 'delete', task: created.id })
    await use(by, 'write_memory', { key: 'mine', text: null })
  })

  it('has no tool: agents are neither listed, created nor stopped', async () => {
    for (const name of ['list_agents', 'create_agent', 'delete_agent', 'stop_agent'])
      await expect(ask(name, { agent: siblingId })).rejects.toThrow(/not found/)
  })

  it('content of others and invalid input return errors', async () => {
    const wrong = [
      ['manage_schedules', { action: 'create', name: 'n', prompt: 'p', cron: 'often' }, /cron/i],
      ['manage_schedules', { action: 'update', enabled: true }, /taskId/],
      ['manage_schedules', { action: 'delete', task: 'tsk_none' }, /not found/],
      ['manage_schedules', { action: 'run', task: 'tsk_none' }, /action/],
      ['write_memory', { key: '../x', text: 'y' }, /key must be/],
      ['write_memory', { key: 'x', text: 'y'.repeat(100_001) }, /at most 100000/],
      ['get_usage', { days: 91 }, /days/],
    ] as const
    for (const [name, args, words] of wrong)
      expect(await ask(name, args)).toMatchObject(refused(words))
  })
})

describe('access to the agent tools', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const knock = async (bearer: string | undefined, at = url()) => {
    const answer = await fetch(at, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(list),
    })
    return answer.status
  }

  it('is denied unless the agent’s config enables it, and ends at once', async () => {
    const sibling = await keyOf(siblingId)
    expect(await knock(sibling)).toBe(403)
    await allow(owner, siblingId, true)
    expect(await knock(sibling)).toBe(200)
    await allow(owner, siblingId, null)
    expect(await knock(sibling)).toBe(403)
  })

  it('is denied to a user’s key, any other bearer, and the platform’s key', async () => {
    const made = await web('/api/keys', { name: 'mcp' })
    const wrong = [undefined, String(made.body.key), `${key}x`, key.replace(agentId, siblingId)]
    for (const bearer of wrong) expect([bearer, await knock(bearer)]).toEqual([bearer, 401])
    expect(await knock(stack().internalKey)).toBe(403)
  })

  it('is the only access: an agent’s key cannot use its owner’s routes', async () => {
    expect(await knock(key, `${stack().web}/mcp`)).toBe(401)
    for (const path of ['/api/agents', `/api/memory?agentId=${agentId}`, '/api/scheduled-tasks'])
      expect(
        (await call(`${stack().web}${path}`, { headers: { authorization: `Bearer ${key}` } }))
          .status,
      ).toBe(401)
  })

  it('ends with the agent’s stop', async () => {
    const user = await newSubscriber()
    const id = await runningAgent(user)
    await allow(user, id, true)
    const own = await keyOf(id)
    expect(await knock(own)).toBe(200)
    expect((await lifecycle(user, id, 'stop')).status).toBe(200)
    expect(await knock(own)).toBe(401)
  })
})
