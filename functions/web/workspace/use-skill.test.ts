import { beforeEach, describe, expect, it } from 'vitest'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { useWorkspaces } from '#tests/support/conversations/workspace.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

const on = useWorkspaces()

beforeEach(() => {
  on.workspaces.models.calls.length = 0
  on.workspaces.models.reply = (response) => say(response, 'Done.')
})

function install(skillId: string, agentId = on.agent.id) {
  const body = { skillId, agentId }
  return on.workspaces.call('POST', '/api/skills', { body, session: on.ada.session })
}

function use(name: string, body: Record<string, unknown>, session = on.ada.session) {
  return on.workspaces.call('POST', `/api/skills/${name}`, { body, session })
}

describe('using a skill', () => {
  const input = 'Ann: Ship on Friday? Ben: Yes.'

  it('sends the input to the agent with the whole skill, apart from other conversations', async () => {
    await install('meeting-notes')
    const answer = await use('meeting-notes', { agentId: on.agent.id, input })
    expect(answer).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^msg_/),
        agentId: on.agent.id,
        message: input,
        reply: 'Done.',
        model: null,
        usage: expect.any(Object),
        timestamp: expect.any(String),
      },
    })
    await use('meeting-notes', { input: 'Another.' })
    const { messages } = on.workspaces.models.lastCall.body
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'Another.' })
    const instructions = messages.findLast(({ role }) => role === 'system')?.content
    expect(instructions).toMatch(/^Work on the next message by the skill “Meeting notes”:\n\n# /)
    expect(instructions).toContain('Turn "by Friday" into a date')
    expect(JSON.stringify(messages)).not.toContain('Ship on Friday?')
  })

  it('is stored in the chat’s history', async () => {
    await install('meeting-notes')
    await use('meeting-notes', { input })
    const pk = userPartition(on.ada.id)
    const { items } = await on.workspaces.table.query({ pk, beginsWith: `message#${on.agent.id}#` })
    expect(items.map(({ sender, content, platform }) => [sender, content, platform])).toEqual([
      ['user', input, 'skill'],
      ['agent', 'Done.', 'skill'],
    ])
  })

  it('rejects a skill that is missing or disabled', async () => {
    const code = async (name: string) => {
      const { status, body } = await use(name, { input })
      return [status, body.code]
    }
    expect(await code('meeting-notes')).toEqual([409, 'SKILL_NOT_INSTALLED'])
    expect(await code('no-such-skill')).toEqual([404, undefined])
    expect(await code('..%2f..%2fmemory')).toEqual([404, undefined])
    await install('meeting-notes')
    const off = { action: 'update-skill', skillId: 'meeting-notes', enabled: false }
    await on.workspaces.call('POST', '/api/agent', { body: off, session: on.ada.session })
    expect(await code('meeting-notes')).toEqual([409, 'SKILL_DISABLED'])
    expect(on.workspaces.models.calls).toHaveLength(0)
  })

  it('rejects other users, users without an agent, and invalid requests', async () => {
    await install('meeting-notes')
    const missing = { status: 404, body: { error: 'Agent not found' } }
    expect(await use('meeting-notes', { agentId: on.agent.id, input }, on.eve.session)).toEqual(
      missing,
    )
    expect(await use('meeting-notes', { input }, on.eve.session)).toEqual(missing)
    for (const body of [{}, { input: ' ' }, { input: 5 }, { input: 'a'.repeat(32_001) }])
      expect((await use('meeting-notes', body)).status).toBe(400)
    const stopped = await on.workspaces.stoppedAgent(on.ada.id)
    await install('meeting-notes', stopped.id)
    expect(await use('meeting-notes', { agentId: stopped.id, input })).toMatchObject({
      status: 409,
      body: { code: 'AGENT_NOT_RUNNING' },
    })
  })
})
