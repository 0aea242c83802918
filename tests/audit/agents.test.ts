import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionsOf } from '../support/accounts/audit.ts'
import { startWebAgents, type WebAgents } from '../support/agents/web-agents.ts'

let web: WebAgents

beforeAll(async () => {
  web = await startWebAgents()
})
afterAll(() => web.fleet.close())

it('the audit has no entry when an agent is created, stopped, started or configured', async () => {
  const user = await web.person('network')
  const added = await actionsOf(web.fleet.table, user, async () => {
    const { id } = await web.provisioned(user)
    const put = { user, body: { config: { systemPrompt: 'Be kind.' } } }
    const calls = [
      () => web.call('POST', `/api/instance/${id}/stop`, { user }),
      () => web.call('PUT', `/api/agents/${id}/config`, put),
      () => web.call('POST', `/api/instance/${id}/start`, { user }),
    ]
    for (const call of calls) expect((await call()).status).toBe(200)
  })
  expect(added).toEqual([])
})

it('records the image that a person selects for an agent', async () => {
  const user = await web.person('network')
  const { id } = await web.provisioned(user)
  const body = { image: 'registry.example/agent:9' }
  const added = await actionsOf(web.fleet.table, user, async () => {
    const answer = await web.call('POST', `/api/instance/${id}/update`, { user, body })
    expect(answer.status).toBe(200)
  })
  expect(added).toEqual(['image.changed'])
})
