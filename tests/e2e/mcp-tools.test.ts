import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NewKey } from '../../clients/typescript/index.ts'
import { eventually } from '../support/clock/eventually.ts'
import { connectClient, eras } from '../support/http/mcp-client.ts'
import { connectCommand, namesOf, use } from '../support/programs/mcp-client.ts'
import { call, keyOf, newSubscriber, stack } from '../support/stack/platform.ts'

const newKey = async (plan: string, scopes?: NewKey['scopes']) =>
  keyOf(await newSubscriber(plan), scopes)

const environment = (key: string) => ({ PLATFORM_URL: stack().web, PLATFORM_API_KEY: key })

const carriers = {
  HTTP: (key: string, era: (typeof eras)[number]) =>
    connectClient(`${stack().web}/mcp`, key, { era }),
  stdio: (key: string, era: (typeof eras)[number]) => connectCommand(environment(key), { era }),
}

const cases = eras.flatMap((era) =>
  (['HTTP', 'stdio'] as const).map((carrier) => ({ era, carrier })),
)

describe.each(cases)('tools over $carrier, asked by the protocol of $era', ({ era, carrier }) => {
  let by: Client
  let key: string

  beforeAll(async () => {
    key = await newKey('collective')
    by = await carriers[carrier](key, era)
  })
  afterAll(() => by.close())

  /** Calls the public API directly. */
  const api = (path: string, body?: unknown) =>
    call(`${stack().web}${path}`, { headers: { authorization: `Bearer ${key}` }, body })

  it('create, change, stop and delete an agent', async () => {
    const config = { systemPrompt: 'Be brief.' }
    const { agent } = await use(by, 'create_agent', { name: 'Viola', config })
    const { id } = agent as { id: string }
    const status = async () => {
      const { agent: now } = await use(by, 'get_agent', { agent: 'Viola' })
      return (now as { status: string }).status
    }
    await eventually(async () => expect(await status()).toBe('running'))
    await use(by, 'update_agent', { agent: id, config: { spendCapUsd: 5, systemPrompt: null } })
    const { body } = await api(`/api/agents/${id}/config`)
    expect(body.config).toMatchObject({ spendCapUsd: 5 })
    expect(body.config).not.toHaveProperty('systemPrompt')
    await use(by, 'control_agent', { agent: 'Viola', action: 'stop' })
    await eventually(async () => expect(await status()).toBe('stopped'))
    await use(by, 'control_agent', { agent: 'Viola', action: 'start' })
    await eventually(async () => expect(await status()).toBe('running'))
    expect(await use(by, 'delete_agent', { agent: id })).toMatchObject({ id })
    expect((await api(`/api/agents/${id}`)).status).toBe(404)
    expect(await use(by, 'list_agents')).toMatchObject({ agents: [] })
  })

  it('talk with agents, and give them skills, memories and tasks', async () => {
    const { agent } = await use(by, 'create_agent', { name: 'Cello' })
    const { id } = agent as { id: string }
    await eventually(async () =>
      expect(await use(by, 'get_agent', { agent: id })).toMatchObject({
        agent: { status: 'running' },
      }),
    )
    expect(
      await use(by, 'send_message', { agent: 'cello', message: 'good morning' }),
    ).toMatchObject({ agentId: id, reply: expect.stringContaining('good morning') })
    const { messages } = await use(by, 'read_messages', { agent: id, limit: 2 })
    expect(JSON.stringify(messages)).toContain('good morning')
    await eventually(async () => {
      const { lines } = await use(by, 'read_logs', { agent: id, contains: 'CHAT/completions' })
      expect(lines).not.toEqual([])
    })

    await use(by, 'write_memory', { agent: id, key: 'tea', text: 'She likes it green.' })
    const notes = () => use(by, 'search_memory', { agent: id, query: 'green' })
    expect(await notes()).toMatchObject({ notes: { tea: 'She likes it green.' } })
    await use(by, 'write_memory', { agent: id, key: 'tea', text: null })
    expect(await notes()).toMatchObject({ notes: {} })

    const has = async () => {
      const { installedSkillIds } = await use(by, 'manage_skills', { action: 'list', agent: id })
      return installedSkillIds
    }
    const skill = { agent: id, skill: 'sql-helper' }
    await use(by, 'manage_skills', { action: 'install', ...skill })
    expect(await has()).toEqual(['sql-helper'])
    await use(by, 'manage_skills', { action: 'remove', ...skill })
    expect(await has()).toEqual([])

    const schedule = { name: 'Daily', cron: '0 9 * * *', prompt: 'What is new?' }
    const created = await use(by, 'manage_schedules', { action: 'create', agent: id, ...schedule })
    const { id: task } = created as { id: string }
    await use(by, 'manage_schedules', { action: 'update', task, enabled: false, cron: '0 8 * * *' })
    const tasks = () => use(by, 'manage_schedules', { action: 'list', agent: id })
    expect(await tasks()).toMatchObject({
      tasks: [{ id: task, enabled: false, cronSchedule: '0 8 * * *' }],
    })
    await use(by, 'manage_schedules', { action: 'run', task })
    await eventually(async () => {
      const { body } = await api(`/api/scheduled-tasks/${task}/runs`)
      expect(body.runs).toMatchObject([{ status: 'finished' }])
    })
    await use(by, 'manage_schedules', { action: 'delete', task })
    expect(await tasks()).toMatchObject({ tasks: [] })
  })

  it('ask a swarm, and return costs', async () => {
    const { agents } = await use(by, 'list_agents')
    const [{ id = '' } = {}] = agents as { id: string }[]
    const swarm = { name: 'Duo', agents: [id] }
    expect((await api('/api/swarms', swarm)).status).toBe(201)
    const answer = await use(by, 'run_swarm', { swarm: 'duo', prompt: 'say hello' })
    expect(JSON.stringify(answer)).toContain('say hello')
    const { models } = await use(by, 'list_models')
    const [{ id: model = '' } = {}] = models as { id: string }[]
    const question = { model, prompt: 'hello', maxTokens: 10, runsPerDay: 2 }
    expect(await use(by, 'estimate_cost', question)).toMatchObject({ model })
    for (const way of ['daily', 'by-model', 'by-agent', 'by-key', 'tools'])
      expect(await use(by, 'get_usage', { by: way, days: 7 })).toHaveProperty('data')
  })
})

describe('update_agent', () => {
  it('raises or clears a spend cap only with a key that has the scope money', async () => {
    const user = await newSubscriber('collective')
    const keyWith = async (scopes?: NewKey['scopes']) => {
      const url = `${stack().web}/mcp`
      return closing(connectClient(url, await keyOf(user, scopes)))
    }
    await using ordinary = await keyWith()
    await using admin = await keyWith(['read', 'chat', 'write', 'admin'])
    await using money = await keyWith(['read', 'write', 'money'])
    const name = 'Oboe'
    await use(ordinary.client, 'create_agent', { name, config: { spendCapUsd: 5 } })
    const setCap = (by: Client, spendCapUsd: number | null) =>
      by.callTool({ name: 'update_agent', arguments: { agent: name, config: { spendCapUsd } } })
    const cap = async () => {
      const { body } = await call(`${stack().web}/api/agents`, { headers: user.session })
      const [{ id }] = body.agents as [{ id: string }]
      const path = `/api/agents/${id}/config`
      const answer = await call(stack().web + path, { headers: user.session })
      return (answer.body.config as { spendCapUsd?: number }).spendCapUsd
    }
    for (const { client } of [ordinary, admin])
      for (const raised of [6, null]) {
        const refused = await setCap(client, raised)
        expect(refused).toMatchObject({ isError: true })
        expect(JSON.stringify(refused.content)).toContain('money')
        expect(await cap()).toBe(5)
      }
    expect(await setCap(ordinary.client, 4)).not.toMatchObject({ isError: true })
    expect(await cap()).toBe(4)
    expect(await setCap(money.client, 7)).not.toMatchObject({ isError: true })
    expect(await cap()).toBe(7)
    expect(await setCap(money.client, null)).not.toMatchObject({ isError: true })
    expect(await cap()).toBeUndefined()
  })
})

describe('the command over stdio', () => {
  it('lists the tools of its key, and with --read-only only reading ones', async () => {
    const key = await newKey('solo')
    const readers = await namesOf(await connectClient(`${stack().web}/mcp?read_only=1`, key))
    await using reading = await closing(connectCommand(environment(key), { args: ['--read-only'] }))
    expect(await namesOf(reading.client)).toEqual(readers)
    const scoped = await newKey('solo', ['read', 'chat'])
    await using talking = await closing(connectCommand(environment(scoped)))
    expect(await namesOf(talking.client)).toEqual(
      [...readers, 'run_swarm', 'send_message'].toSorted(),
    )
  })

  it('returns the platform’s errors in words', async () => {
    const key = await newKey('solo')
    await using by = await closing(connectCommand(environment(key)))
    expect(
      await by.client.callTool({
        name: 'delete_agent',
        arguments: { agent: `agt_${'0'.repeat(26)}` },
      }),
    ).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/not found/i) }] })
  })
})

async function closing(connected: Promise<Client>) {
  const client = await connected
  return { client, [Symbol.asyncDispose]: () => client.close() }
}
