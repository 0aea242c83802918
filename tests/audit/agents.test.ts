import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '../../shared/agents/agent.ts'
import { routes } from '../../functions/backend/agents.ts'
import { createApp } from '../../shared/http/app.ts'
import { actionsOf, addedBy } from '../support/audit.ts'
import { otherImage } from '../support/fleet.ts'
import { startWebAgents, type WebAgents } from '../support/web-agents.ts'

let web: WebAgents

beforeAll(async () => {
  web = await startWebAgents()
})
afterAll(() => web.fleet.close())

/** What a call by an agent's owner adds to their audit, and its status. */
async function byOwner(user: string, method: string, path: string, body?: object) {
  let status = 0
  const actions = await actionsOf(web.fleet.table, user, async () => {
    ;({ status } = await web.call(method, path, { user, ...(body !== undefined && { body }) }))
  })
  return [status, actions]
}

/** The same by a trusted caller for the owner. */
async function byTrusted(user: string, method: string, path: string, body?: object) {
  let status = 0
  const app = createApp({
    surface: 'backend',
    name: 'backend-agents',
    routes,
    services: web.fleet.services,
    settings: { RATE_LIMITS: 'off', INTERNAL_API_KEY: 'internal-key' },
    table: web.fleet.table,
  })
  const added = await addedBy(web.fleet.table, user, async () => {
    const answer = await app.request(path, {
      method,
      headers: {
        authorization: 'Bearer internal-key',
        'x-user-id': user,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    ;({ status } = answer)
  })
  for (const { actor } of added) expect(actor).toBe(`internal:${user}`)
  return [status, added.map(({ action }) => action)]
}

async function newAgent(): Promise<{ user: string; agent: Agent; path: string }> {
  const user = await web.person('network')
  const agent = await web.provisioned(user)
  return { user, agent, path: `/api/instance/${agent.id}` }
}

describe('an agent', () => {
  it('is created with an entry of its own, and none where it is refused', async () => {
    const body = { name: 'Ada' }
    const user = await web.person('label')
    expect(await byOwner(user, 'POST', '/api/agents/provision', body)).toEqual([
      201,
      ['agent.created'],
    ])
    expect(await byOwner(user, 'POST', '/api/agents/provision', body)).toEqual([429, []])
    const poor = await web.person('solo', { status: 'canceled' })
    expect(await byOwner(poor, 'POST', '/api/agents/provision', body)).toEqual([402, []])
  })

  it('is created by each of the other doors', async () => {
    const user = await web.person('network')
    const created = [201, ['agent.created']]
    const channel = { telegramToken: '123456:abcdefghijklmnopqrstuvwxyz' }
    expect(await byOwner(user, 'POST', '/api/provision', channel)).toEqual(created)
    expect(await byTrusted(user, 'POST', '/api/agents', { name: 'Ada' })).toEqual(created)
    const paid = { ...channel, plan: 'network', aiProvider: 'openai', subscriptionId: 'sub_1' }
    expect(await byTrusted(user, 'POST', '/api/provision', paid)).toEqual(created)
  })

  it('is stopped, started, restarted, repaired, updated and configured by its owner', async () => {
    const { user, agent, path } = await newAgent()
    const post = (verb: string, body?: object) => byOwner(user, 'POST', `${path}/${verb}`, body)
    expect(await post('stop')).toEqual([200, ['agent.stopped']])
    expect(await post('start')).toEqual([200, ['agent.started']])
    expect(await post('start')).toEqual([200, []])
    expect(await post('restart')).toEqual([200, ['agent.started']])
    expect(await post('repair')).toEqual([200, ['agent.started']])
    expect(await post('update', { image: otherImage })).toEqual([200, ['agent.changed']])
    const config = `/api/agents/${agent.id}/config`
    const change = { config: { systemPrompt: 'Be kind. \ud83d' } }
    expect(await byOwner(user, 'PUT', config, change)).toEqual([200, ['agent.changed']])
    expect(await byOwner(user, 'PUT', config, { config: { model: 7 } })).toEqual([400, []])
  })

  it('leaves no entry where its start is refused', async () => {
    const user = await web.person('solo')
    const agent = await web.provisioned(user)
    const path = `/api/instance/${agent.id}`
    await byOwner(user, 'POST', `${path}/stop`)
    await web.fleet.pays(user, 'canceled')
    for (const verb of ['start', 'restart', 'repair'])
      expect(await byOwner(user, 'POST', `${path}/${verb}`)).toEqual([402, []])
    const eve = await web.person('solo')
    expect(await byOwner(eve, 'POST', `${path}/stop`)).toEqual([404, []])
  })

  it('is deployed with a config and started, an entry each', async () => {
    const { user, agent, path } = await newAgent()
    await byOwner(user, 'POST', `${path}/stop`)
    const body = { agentId: agent.id, config: { systemPrompt: 'Be kind.' } }
    const deployed = byTrusted(user, 'POST', '/api/deployments', body)
    await web.fleet.untilRunning(agent)
    expect(await deployed).toEqual([201, ['agent.changed', 'agent.started']])
  })

  it('is changed and deleted by a trusted caller, whom the entry names', async () => {
    const { user, agent } = await newAgent()
    const path = `/api/agents/${agent.id}`
    const post = (verb: string) => byTrusted(user, 'POST', `${path}/${verb}`)
    expect(await byTrusted(user, 'PUT', path, { plan: 'solo' })).toEqual([200, ['agent.changed']])
    expect(await post('token')).toEqual([200, ['token.rotated']])
    expect(await post('stop')).toEqual([200, ['agent.stopped']])
    expect(await post('start')).toEqual([200, ['agent.started']])
    expect(await post('restart')).toEqual([200, ['agent.started']])
    expect(await post('repair')).toEqual([200, ['agent.started']])
    expect(await post('update')).toEqual([200, ['agent.changed']])
    expect(await byTrusted(user, 'DELETE', path)).toEqual([200, ['agent.deleted']])
    expect(await byTrusted(user, 'DELETE', path)).toEqual([200, []])
  })
})
