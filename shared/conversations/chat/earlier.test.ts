import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { resetMemory } from '#shared/agents/workspace/memory/reset.ts'
import { chatCaller } from '#tests/support/conversations/chat.ts'
import { startWorkspaces, type Workspaces } from '#tests/support/conversations/workspace.ts'
import { say, sendJson } from '../../../agent/gateway/testing/upstream.ts'

let workspaces: Workspaces
let ada: { id: string; session: string }
let agent: Agent

beforeAll(async () => {
  workspaces = await startWorkspaces()
  ada = await workspaces.newUser()
})
afterAll(() => workspaces.close())
beforeEach(async () => {
  workspaces.models.reply = (response, { body }) =>
    say(response, `Heard ${body.messages.at(-1)?.content}`)
  agent = await workspaces.newAgent(ada.id)
})

async function chat(message: string, topic?: string): Promise<number> {
  const body = { agentId: agent.id, message, ...(topic !== undefined && { topic }) }
  const answer = await chatCaller(workspaces.table)('POST', '/api/chat', {
    body,
    session: ada.session,
  })
  return answer.status
}

/** Returns the messages that the model received, without the agent's own instructions. */
function heard(): string[] {
  const { messages } = workspaces.models.lastCall.body
  return messages.filter(({ role }) => role !== 'system').map(({ content }) => content)
}

describe('a conversation', () => {
  it('continues in a new container, and its history is sent again only if the disk is empty', async () => {
    await chat('one')
    await chat('two')
    await workspaces.restart(agent)
    await chat('three')
    const all = ['one', 'Heard one', 'two', 'Heard two', 'three']
    expect(heard()).toEqual(all)
    await chat('four')
    expect(heard()).toEqual([...all, 'Heard three', 'four'])
    expect(await workspaces.inside(agent, '/sessions/default')).toMatchObject({ count: 8 })
  })

  it('is not sent again to a container that kept its disk', async () => {
    await chat('one')
    await workspaces.restart(agent, { keepDisk: true })
    await chat('two')
    expect(heard()).toEqual(['one', 'Heard one', 'two'])
  })

  it('is not sent to other conversations', async () => {
    await chat('mine', 'first')
    await chat('by default')
    await workspaces.restart(agent)
    await chat('two', 'second')
    expect(heard()).toEqual(['two'])
    await chat('three', 'first')
    expect(heard()).toEqual(['mine', 'Heard mine', 'three'])
  })

  it('a conversation that was deleted stays deleted', async () => {
    await chat('one')
    const queues = { send: async () => {}, sendAll: async () => {} }
    await resetMemory({ table: workspaces.table, queues }, { agent: await workspaces.row(agent) })
    await workspaces.restart(agent)
    await chat('two')
    expect(heard()).toEqual(['two'])
  })

  it('omits messages that were never answered', async () => {
    await chat('one')
    workspaces.models.reply = (response) => sendJson(response, 500, { error: {} })
    expect(await chat('lost')).toBe(502)
    await workspaces.restart(agent)
    workspaces.models.reply = (response) => say(response, 'Here.')
    await chat('two')
    expect(heard()).toEqual(['one', 'Heard one', 'two'])
  })

  it('is sent up to the size limit', async () => {
    await chat('old')
    await chat(`long ${'x'.repeat(9000)}`)
    await chat('new')
    await workspaces.restart(agent)
    await chat('now')
    expect(heard()).toEqual(['new', 'Heard new', 'now'])
  })
})
