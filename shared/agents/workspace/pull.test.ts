import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { chatCaller } from '#tests/support/conversations/chat.ts'
import { startWorkspaces, type Workspaces } from '#tests/support/conversations/workspace.ts'
import type { Agent } from '../record/agent.ts'
import { pullMemory } from './pull.ts'

let workspaces: Workspaces
let ada: { id: string; session: string }

beforeAll(async () => {
  workspaces = await startWorkspaces()
  ada = await workspaces.newUser()
})
afterAll(() => workspaces.close())

const write = (agent: Agent, notes: Record<string, string | null>) => workspaces.write(agent, notes)
const sync = (agent: Agent) => workspaces.sync(agent)
const inside = (agent: Agent) => workspaces.memoryOf(agent)
const shown = (agent: Agent) => workspaces.shownMemory(agent, ada)

async function chat(agent: Agent, message = 'Hi'): Promise<number> {
  const body = { agentId: agent.id, message }
  const call = chatCaller(workspaces.table)
  return (await call('POST', '/api/chat', { body, session: ada.session })).status
}

/** Writes a note as the agent itself. */
function remembers(agent: Agent, key: string, memory: string) {
  const body = JSON.stringify({ memory })
  return workspaces.inside(agent, `/memory/${key}`, { method: 'PUT', body })
}

describe('workspace content that an agent writes itself', () => {
  it('is listed, and outlives its container', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await remembers(agent, 'learned', 'She likes tea.')
    expect(await shown(agent)).toEqual({ learned: 'She likes tea.' })
    const again = await workspaces.restart(agent)
    expect(await shown(again)).toEqual({ learned: 'She likes tea.' })
    await sync(again)
    expect(await inside(again)).toEqual({ learned: 'She likes tea.' })
  })

  it('is read at the first check after work, and only then', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await remembers(agent, 'learned', 'one')
    await sync(agent)
    const rows = async () => {
      const beginsWith = `memory#${agent.id}#`
      const { items } = await workspaces.table.query({ pk: userPartition(ada.id), beginsWith })
      return items.map(({ text }) => text)
    }
    expect(await rows()).toEqual([])
    await chat(agent)
    await sync(agent)
    expect(await rows()).toEqual(['one'])
    await remembers(agent, 'learned', 'two')
    await sync(agent)
    expect(await rows()).toEqual(['one'])
  })

  it('takes precedence over the platform’s content until a newer change', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await sync(await write(agent, { a: 'given' }))
    await remembers(agent, 'a', 'changed')
    expect(await shown(agent)).toEqual({ a: 'changed' })
    await write(agent, { a: 'given again' })
    expect(await shown(agent)).toEqual({ a: 'given again' })
    await sync(agent)
    expect(await inside(agent)).toEqual({ a: 'given again' })
  })

  it('never overwrites concurrent changes', async () => {
    const agent = await workspaces.newAgent(ada.id)
    const before = await sync(await write(agent, { a: 'old' }))
    await write(agent, { a: 'new' })
    await pullMemory(workspaces.ctx, { agent: before })
    expect(await shown(agent)).toEqual({ a: 'new' })
  })

  it('is not deleted from the table if the container lost it', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await sync(await write(agent, { a: 'given' }))
    await workspaces.inside(agent, '/memory', { method: 'DELETE' })
    expect(await shown(agent)).toEqual({ a: 'given' })
  })

  it.each([
    ['invalid JSON', '<html>'],
    ['another format', '{"memory":[]}'],
    [
      'names of files in other folders',
      '{"memory":{"../a":"b","__proto__":"c",".env":"d","":"e"}}',
    ],
    ['not a string', '{"memory":{"a":{"b":"c"},"d":5,"e":null}}'],
    ['half a surrogate pair', '{"memory":{"a":"\\ud800"}}'],
    ['oversized', JSON.stringify({ memory: { a: 'b'.repeat(100_001) } })],
    ['endless', `{"memory":{"a":"${'b'.repeat(9_000_000)}`],
  ])('is ignored if it is %s', async (_, answer) => {
    await using server = await startServer(answer)
    const agent = await putAgent(workspaces.table, ada.id, { address: server.address })
    expect(await shown(agent)).toEqual({})
    expect((await workspaces.row(agent)).workspace).toBeUndefined()
  })

  it('has the same limits as people’s content', async () => {
    const notes = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 'v']))
    await using server = await startServer(JSON.stringify({ memory: notes }))
    const agent = await putAgent(workspaces.table, ada.id, { address: server.address })
    for (let i = 0; i < 6; i++) await shown(agent)
    expect((await workspaces.row(agent)).workspace?.notes).toBe(200)
    expect(Object.keys((await shown(agent)) as object)).toHaveLength(200)
  })
})

/** Starts another server at an agent's address, with the same response to every request. */
async function startServer(answer: string) {
  const server = createServer((_, response) => void response.end(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
