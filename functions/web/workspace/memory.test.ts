import { describe, expect, it } from 'vitest'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { useWorkspaces } from '#tests/support/conversations/workspace.ts'

const on = useWorkspaces({ per: 'file' })

function write(body: unknown, session = on.ada.session) {
  return on.workspaces.call('POST', '/api/memory', { body, session })
}

function read(agentId = on.agent.id, session = on.ada.session) {
  return on.workspaces.call('GET', `/api/memory?agentId=${agentId}`, { session })
}

async function inside(of = on.agent): Promise<unknown> {
  return (await on.workspaces.inside(of, '/memory')).memory
}

describe('memory', () => {
  it('is stored, returned, and sent to the running agent at once', async () => {
    const one = await on.workspaces.newAgent(on.ada.id)
    const empty = { memory: {}, agentId: one.id, count: 0, lastUpdated: null }
    expect(await read(one.id)).toEqual({ status: 200, body: empty })
    expect(await write({ agentId: one.id, key: 'name', memory: 'Ann \u{1F600}' })).toEqual({
      status: 200,
      body: { success: true, agentId: one.id, key: 'name', saved: true },
    })
    expect(await write({ agentId: one.id, memory: { tea: 'green', 'x.y': '' } })).toEqual({
      status: 200,
      body: { success: true, agentId: one.id, keysUpdated: 2, saved: true },
    })
    const memory = { name: 'Ann \u{1F600}', tea: 'green', 'x.y': '' }
    expect(await inside(one)).toEqual(memory)
    expect((await read(one.id)).body).toEqual({
      memory,
      agentId: one.id,
      count: 3,
      lastUpdated: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('deletes one note, in the agent too, and no other', async () => {
    const one = await on.workspaces.newAgent(on.ada.id)
    await write({ agentId: one.id, memory: { a: '1', b: '2' } })
    const remove = (body: object, session: string | undefined = on.ada.session) =>
      on.workspaces.call('DELETE', '/api/memory', { body, session })
    expect((await remove({ agentId: one.id, key: 'a' }, on.eve.session)).status).toBe(404)
    expect((await remove({ agentId: one.id, key: 'a' }, 'usr_x.nonsense')).status).toBe(401)
    for (const body of [{ agentId: one.id }, { key: 'a' }, { agentId: one.id, key: '../a' }])
      expect((await remove(body)).status).toBe(400)
    expect((await read(one.id)).body.memory).toEqual({ a: '1', b: '2' })
    for (let i = 0; i < 2; i++)
      expect(await remove({ agentId: one.id, key: 'a' })).toEqual({
        status: 200,
        body: { success: true, agentId: one.id, key: 'a' },
      })
    expect((await read(one.id)).body.memory).toEqual({ b: '2' })
    expect(await inside(one)).toEqual({ b: '2' })
  })

  it('is part of the model’s prompt', async () => {
    await write({ agentId: on.agent.id, key: 'name', memory: 'Her name is Ann.' })
    await on.workspaces.inside(on.agent, '/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Who am I?' }] }),
    })
    const [system] = on.workspaces.models.lastCall.body.messages
    expect(system).toMatchObject({
      role: 'system',
      content: expect.stringContaining('Her name is Ann.'),
    })
  })

  it('deletes a note that is set to null, in the agent too', async () => {
    const one = await on.workspaces.newAgent(on.ada.id)
    await write({ agentId: one.id, memory: { a: '1', b: '2', c: '3' } })
    await write({ agentId: one.id, key: 'a', memory: null })
    await write({ agentId: one.id, memory: { b: null, c: '4', never: null } })
    expect((await read(one.id)).body).toMatchObject({ memory: { c: '4' }, count: 1 })
    expect(await inside(one)).toEqual({ c: '4' })
    const rows = await on.workspaces.table.query({
      pk: userPartition(on.ada.id),
      beginsWith: `memory#${one.id}#`,
    })
    expect(rows.items.map(({ key }) => key)).toEqual(['c'])
  })

  it('can be written while the agent is stopped', async () => {
    const one = await on.workspaces.stoppedAgent(on.ada.id)
    expect((await write({ agentId: one.id, key: 'a', memory: 'b' })).status).toBe(200)
    await write({ agentId: one.id, key: 'gone', memory: 'b' })
    await write({ agentId: one.id, key: 'gone', memory: null })
    expect((await read(one.id)).body).toMatchObject({ memory: { a: 'b' }, count: 1 })
  })

  it('holds fifty notes of a hundred thousand characters in any script', async () => {
    const one = await on.workspaces.stoppedAgent(on.ada.id)
    const texts = Array.from({ length: 50 }, (_, i) => `${i % 10}`.repeat(3) + '語'.repeat(99_997))
    for (const [i, memory] of texts.entries())
      expect((await write({ agentId: one.id, key: `k${i}`, memory })).status).toBe(200)
    const { memory, count } = (await read(one.id)).body
    expect(count).toBe(50)
    expect((memory as Record<string, string>).k49).toBe(texts[49])
    expect(await write({ agentId: one.id, key: 'more', memory: 'a' })).toEqual({
      status: 400,
      body: { error: expect.stringMatching(/5000000/), code: 'MEMORY_FULL', limit: 5_000_000 },
    })
    await write({ agentId: one.id, key: 'k0', memory: 'short' })
    expect((await write({ agentId: one.id, key: 'more', memory: 'a' })).status).toBe(200)
  }, 120_000)

  it('holds two hundred notes, under concurrent writes', async () => {
    const one = await on.workspaces.stoppedAgent(on.ada.id)
    const fifty = (from: number) =>
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${from + i}`, 'v']))
    const answers = await Promise.all(
      [0, 50, 100, 150, 200, 250].map((from) => write({ agentId: one.id, memory: fifty(from) })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 400, 400])
    expect((await read(one.id)).body.count).toBe(200)
  })
})

describe('memory rejects', () => {
  it.each([
    ['no agent', { key: 'a', memory: 'b' }],
    ['nothing', { agentId: 'x' }],
    ['a key without a text', { agentId: 'x', key: 'a', memory: { a: 'b' } }],
    ['a text without a key', { agentId: 'x', memory: 'b' }],
    ['a number', { agentId: 'x', key: 'a', memory: 5 }],
    ['no keys', { agentId: 'x', memory: {} }],
    ['a list', { agentId: 'x', memory: ['a'] }],
    ['a note that is not a string', { agentId: 'x', memory: { a: { b: 'c' } } }],
    ['a path', { agentId: 'x', key: '../../etc/passwd', memory: 'b' }],
    ['a path among others', { agentId: 'x', memory: { a: 'b', '..': 'c' } }],
    ['a hidden file', { agentId: 'x', key: '.env', memory: 'b' }],
    ['an encoded path', { agentId: 'x', key: '%2e%2e%2fa', memory: 'b' }],
    ['a key of two lines', { agentId: 'x', key: 'a\nb', memory: 'b' }],
    ['an empty key', { agentId: 'x', key: '', memory: 'b' }],
    ['a key that is too long', { agentId: 'x', key: 'a'.repeat(65), memory: 'b' }],
    ['every prototype’s name', { agentId: 'x', key: '__proto__', memory: 'b' }],
    ['a note that is too long', { agentId: 'x', key: 'a', memory: 'b'.repeat(100_001) }],
    [
      'too many keys',
      { agentId: 'x', memory: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, 'a'])) },
    ],
  ])('memory rejects %s, and changes nothing', async (_, body) => {
    const before = await read()
    const answer = await write({ ...body, ...('agentId' in body && { agentId: on.agent.id }) })
    expect(answer).toEqual({ status: 400, body: { error: expect.any(String) } })
    expect(await read()).toEqual(before)
  })

  it('memory rejects a note with a prototype’s name', async () => {
    const one = await on.workspaces.stoppedAgent(on.ada.id)
    const memory = JSON.parse('{"__proto__":{"a":"b"},"constructor":"c","toString":"d"}') as object
    expect((await write({ agentId: one.id, memory })).body).toMatchObject({ keysUpdated: 2 })
    const stored = (await read(one.id)).body.memory
    expect(stored).toEqual({ constructor: 'c', toString: 'd' })
  })

  it('memory rejects other users, without details', async () => {
    await write({ agentId: on.agent.id, key: 'secret', memory: 'of Ada' })
    const missing = { status: 404, body: { error: 'Agent not found' } }
    expect(await read(on.agent.id, on.eve.session)).toEqual(missing)
    expect(await write({ agentId: on.agent.id, key: 'a', memory: 'b' }, on.eve.session)).toEqual(
      missing,
    )
    expect(await read(`agt_${'0'.repeat(26)}`)).toEqual(missing)
    expect((await on.workspaces.call('GET', `/api/memory?agentId=${on.agent.id}`)).status).toBe(401)
    expect(
      (await on.workspaces.call('GET', '/api/memory', { session: on.ada.session })).status,
    ).toBe(400)
    expect(await inside()).not.toHaveProperty('a')
  })
})
