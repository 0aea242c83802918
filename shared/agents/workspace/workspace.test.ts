import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queues } from '#shared/platform/queues/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { chatCaller } from '#tests/support/conversations/chat.ts'
import { startWorkspaces, type Workspaces } from '#tests/support/conversations/workspace.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'
import type { Agent } from '../record/agent.ts'
import { changeAgent } from '../record/change.ts'
import { isSynced } from '../record/workspace-state.ts'
import { resetMemory } from './memory/reset.ts'
import { writeNotes } from './memory/write.ts'
import { pushWorkspace } from './push.ts'

let workspaces: Workspaces
let ada: { id: string; session: string }
const sent: unknown[] = []

beforeAll(async () => {
  workspaces = await startWorkspaces()
  ada = await workspaces.newUser()
})
afterAll(() => workspaces.close())

const queues: Queues = {
  send: async ({ queue }, body) => void sent.push([queue, body]),
  sendAll: async () => {},
}

const write = (agent: Agent, notes: Record<string, string | null>) => workspaces.write(agent, notes)
const sync = (agent: Agent) => workspaces.sync(agent)
const inside = (agent: Agent) => workspaces.memoryOf(agent)
const shown = (agent: Agent) => workspaces.shownMemory(agent, ada)

async function reset(agent: Agent): Promise<Agent> {
  return resetMemory({ table: workspaces.table, queues }, { agent: await workspaces.row(agent) })
}

async function chat(agent: Agent, message = 'Hi'): Promise<number> {
  const body = { agentId: agent.id, message }
  const call = chatCaller(workspaces.table)
  return (await call('POST', '/api/chat', { body, session: ada.session })).status
}

function told(): string {
  const [first] = workspaces.models.lastCall.body.messages
  return first?.role === 'system' ? first.content : ''
}

describe('a container', () => {
  it('a container with an empty disk gets everything at its first check', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await write(agent, { a: '1', b: '2' })
    expect(isSynced(await sync(agent))).toBe(true)
    expect(await inside(agent)).toEqual({ a: '1', b: '2' })
    const again = await workspaces.restart(agent)
    expect(isSynced(again)).toBe(false)
    expect(await inside(again)).toEqual({})
    await sync(again)
    expect(await inside(again)).toEqual({ a: '1', b: '2' })
  })

  it('a container that starts gets everything before its agent is running', async () => {
    const agent = await workspaces.newAgent(ada.id, { status: 'provisioning' })
    await write(agent, { a: '1' })
    expect(isSynced(await sync(agent))).toBe(true)
    expect(await inside(agent)).toEqual({ a: '1' })
  })

  it('gets no request before it has its content', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await write(agent, { name: 'Her name is Ann.' })
    expect(await chat(agent)).toBe(200)
    expect(told()).toContain('Her name is Ann.')
    await workspaces.restart(agent)
    await chat(agent)
    expect(told()).toContain('Her name is Ann.')
  })

  it('gets missed content later', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await workspaces.crash(agent)
    const body = { agentId: agent.id, key: 'a', memory: '1' }
    const answer = await workspaces.call('POST', '/api/memory', { body, session: ada.session })
    expect(answer).toMatchObject({ status: 200, body: { saved: true } })
    expect(isSynced(await sync(agent))).toBe(false)
    expect(await shown(agent)).toEqual({ a: '1' })
    const again = await workspaces.restart(agent)
    await sync(again)
    expect(await inside(again)).toEqual({ a: '1' })
  })

  it('gets content that a killed request had only stored', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await sync(await write(agent, { a: '1', b: '2' }))
    await write(agent, { a: null, b: '3' })
    expect(await inside(agent)).toEqual({ a: '1', b: '2' })
    await sync(agent)
    expect(await inside(agent)).toEqual({ b: '3' })
  })

  it('discards the content of an interrupted push', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await write(agent, { a: '1', b: '2' })
    await workspaces.inside(agent, '/memory/a?revision=1', {
      method: 'PUT',
      body: JSON.stringify({ memory: '1' }),
    })
    await write(agent, { a: null })
    await sync(agent)
    expect(await inside(agent)).toEqual({ b: '2' })
    expect(await shown(agent)).toEqual({ b: '2' })
  })

  it('keeps the newest of concurrent pushes', async () => {
    const agent = await workspaces.newAgent(ada.id)
    const older = await write(agent, { a: 'old' })
    const newer = await write(agent, { a: 'new' })
    await pushWorkspace(workspaces.ctx, { agent: newer })
    // A late push with an outdated row.
    await pushWorkspace(workspaces.ctx, { agent: older })
    expect(await inside(agent)).toEqual({ a: 'new' })
    expect(await shown(agent)).toEqual({ a: 'new' })
  })

  it('is marked as incomplete if content was written during a push', async () => {
    const agent = await putAgent(workspaces.table, ada.id)
    const server = createServer((_, response) => {
      void write(agent, { late: '2' }).then(() => response.end('{}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
    const before = await write(agent, { a: '1' })
    const filled = await pushWorkspace(workspaces.ctx, { agent: { ...before, address } })
    expect(isSynced(filled)).toBe(false)
    expect(filled.workspace).toMatchObject({ given: 1, revision: 2 })
    server.close()
  })

  it('a container that no longer exists fails only the push', async () => {
    const agent = await workspaces.newAgent(ada.id, { address: { host: '127.0.0.1', port: 1 } })
    await write(agent, { a: '1' })
    expect(isSynced(await sync(agent))).toBe(false)
    expect(await shown(agent)).toEqual({ a: '1' })
  })
})

describe('a reset', () => {
  it('deletes notes and conversations, in the table and in the container', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await sync(await write(agent, { a: '1' }))
    workspaces.models.reply = (response) => say(response, 'Noted.')
    await chat(agent, 'The word is swordfish.')
    sent.length = 0
    await reset(agent)
    expect(sent).toEqual([
      ['checks', { agents: [{ userId: ada.id, agentId: agent.id, dueAt: null }] }],
    ])
    expect(await shown(agent)).toEqual({})
    await chat(agent, 'What was the word?')
    expect(JSON.stringify(workspaces.models.lastCall.body)).not.toContain('swordfish')
    expect(await inside(agent)).toEqual({})
    expect((await workspaces.row(agent)).workspace).toMatchObject({ notes: 0, characters: 0 })
  })

  it('keeps newer content if repeated', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await sync(await write(agent, { a: '1' }))
    const forgetful = await reset(agent)
    await pushWorkspace(workspaces.ctx, { agent: forgetful })
    await chat(agent)
    await write(agent, { b: '2' })
    await pushWorkspace(workspaces.ctx, { agent: forgetful })
    await sync(agent)
    expect(await inside(agent)).toEqual({ b: '2' })
    expect(await workspaces.inside(agent, '/sessions')).toMatchObject({ count: 1 })
  })

  it('a reset of a stopped agent applies to its disk at the next start', async () => {
    const agent = await workspaces.newAgent(ada.id)
    await sync(await write(agent, { a: '1' }))
    await chat(agent)
    await reset(agent)
    const again = await workspaces.restart(agent, { keepDisk: true })
    expect(await inside(again)).toEqual({ a: '1' })
    await sync(again)
    expect(await inside(again)).toEqual({})
    expect(await workspaces.inside(again, '/sessions')).toMatchObject({ count: 0 })
  })
})

it('writes nothing for a deleted agent', async () => {
  const agent = await workspaces.newAgent(ada.id)
  await changeAgent(workspaces, { agent, decide: (current) => ({ ...current, deleting: true }) })
  for (const change of [
    () => writeNotes(workspaces, { agent, notes: { a: '1' } }),
    () => reset(agent),
  ])
    await expect(change()).rejects.toMatchObject({ kind: 'not-found' })
  const pk = userPartition(ada.id)
  const { items } = await workspaces.table.query({ pk, beginsWith: `memory#${agent.id}#` })
  expect(items).toEqual([])
})

it('a change has the same result in the table and in the container, through kills and lost responses', async () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ write: key, text: fc.string({ maxLength: 5 }) }) },
    { weight: 2, arbitrary: fc.record({ forget: key }) },
    { weight: 2, arbitrary: fc.constant('sync' as const) },
    { weight: 1, arbitrary: fc.constantFrom('restart' as const, 'keep' as const) },
    { weight: 1, arbitrary: fc.constantFrom('crash' as const, 'reset' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const agent = await workspaces.newAgent(ada.id)
      const wanted = new Map<string, string>()
      for (const one of steps) {
        if (one === 'sync') await sync(agent)
        else if (one === 'crash') await workspaces.crash(agent)
        else if (one === 'restart') await workspaces.restart(agent)
        else if (one === 'keep') await workspaces.restart(agent, { keepDisk: true })
        else if (one === 'reset') {
          wanted.clear()
          await reset(agent)
        } else if ('write' in one) {
          wanted.set(one.write, one.text)
          await write(agent, { [one.write]: one.text })
        } else {
          wanted.delete(one.forget)
          await write(agent, { [one.forget]: null })
        }
      }
      const memory = Object.fromEntries(wanted)
      await workspaces.restart(agent, { keepDisk: true })
      expect(isSynced(await sync(agent))).toBe(true)
      expect(await inside(agent)).toEqual(memory)
      expect(await shown(agent)).toEqual(memory)
      const { notes, characters } = (await workspaces.row(agent)).workspace ?? {}
      expect([notes ?? 0, characters ?? 0]).toEqual([
        wanted.size,
        [...wanted.values()].join('').length,
      ])
    }),
    { numRuns: 8, interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)
