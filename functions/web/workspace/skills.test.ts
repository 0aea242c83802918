import { describe, expect, it } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { catalogue } from '#shared/agents/workspace/skills/catalogue.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { useWorkspaces } from '#tests/support/conversations/workspace.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { trusted } from '#tests/support/platform/context.ts'

const on = useWorkspaces({
  newAgent: async (workspaces, user) => {
    await workspaces.subscribe(user, 'solo')
    return workspaces.newAgent(user.id)
  },
})

function install(skillId: string, agentId = on.agent.id, session = on.ada.session) {
  return on.workspaces.call('POST', '/api/skills', { body: { skillId, agentId }, session })
}

function remove(skillId: string, agentId = on.agent.id, session = on.ada.session) {
  return on.workspaces.call('DELETE', '/api/skills', { body: { skillId, agentId }, session })
}

function list(query = '', session?: string) {
  const input = session === undefined ? {} : { session }
  const platform = platformOver(on.workspaces.ask, input)
  return platform.skills.list(Object.fromEntries(new URLSearchParams(query)))
}

const installed = async (of = on.agent, session = on.ada.session) =>
  (await list(`?agentId=${of.id}`, session)).installedSkillIds

async function inside(of = on.agent): Promise<unknown> {
  const { skills } = await on.workspaces.inside(of, '/skills')
  return (skills as { id: string }[]).map(({ id }) => id)
}

describe('the catalogue', () => {
  it('is public', async () => {
    const { skills, categories, featured, installedSkillIds } = await list()
    expect(installedSkillIds).toEqual([])
    expect(skills).toHaveLength(catalogue.length)
    expect(skills.find(({ id }) => id === 'code-review')).toEqual({
      id: 'code-review',
      name: 'Code review',
      description: expect.any(String),
      category: 'engineering',
      featured: true,
      version: '1.0.0',
    })
    expect(categories).toEqual([...new Set(skills.map(({ category }) => category))].sort())
    expect(featured).toEqual(skills.filter((skill) => skill.featured))
  })

  it('is searched and filtered', async () => {
    const ids = async (query: string) => (await list(query)).skills.map(({ id }) => id)
    expect(await ids('?search=POSTMORTEM')).toEqual(['incident-postmortem'])
    expect(await ids('?search=reviews%20diff')).toEqual(['code-review'])
    expect(await ids('?search=no-such-thing')).toEqual([])
    expect(await ids('?category=data')).toEqual(['data-table-analysis', 'sql-helper'])
    expect(await ids('?category=data&featured=false')).toEqual(['sql-helper'])
    expect(await ids('?category=constructor')).toEqual([])
    expect((await list('?category=data')).categories).toContain('legal')
    for (const query of ['?featured=maybe', `?search=${'a'.repeat(101)}`])
      await expect(list(query)).rejects.toMatchObject({ status: 400 })
  })

  it('shows installed skills only to the agent’s owner', async () => {
    await install('code-review')
    expect(await installed()).toEqual(['code-review'])
    expect((await list(`?agentId=${on.agent.id}`)).installedSkillIds).toEqual([])
    expect(await installed(on.agent, on.eve.session)).toEqual([])
    expect((await list('?agentId=..%2F..', on.ada.session)).installedSkillIds).toEqual([])
  })
})

describe('installing', () => {
  it('sends the skill to the running agent, which adds it to the prompt', async () => {
    const answer = { success: true, installed: true, deployed: true }
    expect(await install('meeting-notes')).toEqual({ status: 200, body: answer })
    expect(await inside()).toEqual(['meeting-notes'])
    await on.workspaces.inside(on.agent, '/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }),
    })
    const [system] = on.workspaces.models.lastCall.body.messages
    expect(system?.content).toContain('- Meeting notes: Turns a transcript or rough notes into')
    expect(system?.content).toContain('A decision is something that the group settled.')

    expect(await remove('meeting-notes')).toEqual({
      status: 200,
      body: { success: true, installed: false, deployed: false },
    })
    expect(await inside()).toEqual([])
    expect(await installed()).toEqual([])
  })

  it('installing a skill for a stopped agent waits for its next start', async () => {
    const stopped = await on.workspaces.stoppedAgent(on.ada.id)
    expect((await install('sql-helper', stopped.id)).body).toEqual({
      success: true,
      installed: true,
      deployed: false,
    })
    const started = await on.workspaces.restart(stopped)
    await on.workspaces.sync(started)
    expect(await inside(started)).toEqual(['sql-helper'])
  })

  it('installing and removing are done at the next check if the agent does not respond', async () => {
    await install('sql-helper')
    await on.workspaces.crash(on.agent)
    expect((await install('code-review')).body).toMatchObject({ installed: true, deployed: false })
    expect((await remove('sql-helper')).body).toMatchObject({ installed: false, deployed: true })
    expect(await installed()).toEqual(['code-review'])
    const again = await on.workspaces.restart(on.agent, { keepDisk: true })
    expect(await inside(again)).toEqual(['sql-helper'])
    await on.workspaces.sync(again)
    expect(await inside(again)).toEqual(['code-review'])
  })

  it('twice installs once, and counts once', async () => {
    await install('sql-helper')
    await Promise.all([install('sql-helper'), install('sql-helper')])
    expect(await installed()).toEqual(['sql-helper'])
    for (const id of [1, 2]) expect((await remove('sql-helper')).status, `${id}`).toBe(200)
    expect(await installed()).toEqual([])
  })

  it('stops at the plan’s limit, under concurrent requests', async () => {
    await on.workspaces.subscribe(on.ada, 'label')
    const agents = [on.agent, await on.workspaces.stoppedAgent(on.ada.id)]
    const wanted = catalogue.flatMap(({ id }) => agents.map((one) => [id, one.id] as const))
    const answers = await Promise.all(wanted.map(([id, agentId]) => install(id, agentId)))
    const refused = answers.filter(({ status }) => status === 402)
    expect(refused).toHaveLength(wanted.length - 3)
    expect(refused[0]?.body).toEqual({
      error: 'Skill limit reached',
      code: 'SKILL_LIMIT_REACHED',
      current: 3,
      limit: 3,
    })
    const counts = await Promise.all(agents.map(async (one) => (await installed(one)).length))
    expect(counts[0]! + counts[1]!).toBe(3)
    const [first, second] = [await installed(agents[0]), await installed(agents[1])]
    await remove(first[0] ?? second[0]!, (first.length > 0 ? agents[0] : agents[1])!.id)
    const free = catalogue.find(({ id }) => !first.includes(id))!
    expect((await install(free.id)).status).toBe(200)
    expect((await install('weekly-report')).status).toBeOneOf([200, 402])
  })

  it.each([
    ['free', 3],
    ['label', 3],
    ['solo', 10],
  ])('allows on plan %s %i skills', async (plan, limit) => {
    await on.workspaces.subscribe(on.ada, plan)
    const other = await on.workspaces.stoppedAgent(on.ada.id)
    for (const { id } of catalogue.slice(0, limit))
      expect((await install(id, other.id)).status).toBe(200)
    expect(await install(catalogue.at(-1)!.id, other.id)).toMatchObject({
      status: 402,
      body: { current: limit, limit },
    })
    // An installed skill can be updated.
    expect((await install(catalogue[0]!.id, other.id)).status).toBe(200)
  })

  it('reuses the place of a deleted agent', async () => {
    await on.workspaces.subscribe(on.ada, 'label')
    for (const { id } of catalogue.slice(0, 3)) await install(id)
    const other = await on.workspaces.stoppedAgent(on.ada.id)
    expect((await install('sql-helper', other.id)).status).toBe(402)
    const queues = { send: async () => {}, sendAll: async () => {} }
    await deleteAgent(trusted({ table: on.workspaces.table, queues }), {
      agentId: on.agent.id,
      owner: on.ada.id,
    })
    expect((await install('sql-helper', other.id)).status).toBe(200)
    const row = await on.workspaces.table.get({
      pk: userPartition(on.ada.id),
      sk: 'skill-installs',
    })
    expect(row?.installs).toEqual([{ agentId: other.id, skillId: 'sql-helper' }])
  })

  it.each(['../memory', '..%2f..', 'constructor', '__proto__', '.git', 'Code review', ' '])(
    'rejects the unknown skill %j',
    async (skillId) => {
      const missing = { status: 404, body: { error: 'Skill not found' } }
      expect(await install(skillId)).toEqual(missing)
      expect(await remove(skillId)).toEqual(missing)
      expect(await inside()).toEqual([])
    },
  )

  it('rejects other users and invalid requests', async () => {
    const missing = { status: 404, body: { error: 'Agent not found' } }
    expect(await install('sql-helper', on.agent.id, on.eve.session)).toEqual(missing)
    expect(await install('sql-helper', `agt_${'0'.repeat(26)}`)).toEqual(missing)
    await install('sql-helper')
    expect(await remove('sql-helper', on.agent.id, on.eve.session)).toEqual(missing)
    for (const method of ['POST', 'DELETE']) {
      const body = { skillId: 'sql-helper', agentId: on.agent.id }
      expect((await on.workspaces.call(method, '/api/skills', { body })).status).toBe(401)
      for (const wrong of [{}, { ...body, skillId: 5 }, { ...body, agentId: '' }])
        expect(
          (
            await on.workspaces.call(method, '/api/skills', {
              body: wrong,
              session: on.ada.session,
            })
          ).status,
        ).toBe(400)
    }
    expect(await installed()).toEqual(['sql-helper'])
  })
})
