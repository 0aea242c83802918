import { describe, expect, it } from 'vitest'
import { taskLimit } from '#shared/conversations/scheduled-tasks/create.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import {
  agentJson,
  archiveOf,
  asImported,
  filesIn,
  nested,
  skillsOf,
  usageOf,
} from '#tests/support/conversations/archive-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

const { world, scenes, archives, ada, beAda } = await restoreWorld('network')

describe('an import', () => {
  it('creates an agent with all content of the exported one, and starts it', async () => {
    const one = await scenes.full()
    const before = await scenes.stateOf(one)
    const { status, body, id } = await archives.bring(await archives.take(one))
    expect([status, body]).toEqual([
      201,
      {
        success: true,
        agent: {
          id: expect.stringMatching(/^agt_/),
          name: 'Bo',
          model: 'claude-opus-4-6',
          status: 'provisioning',
          websocketUrl: expect.any(String),
          createdAt: expect.any(String),
        },
      },
    ])
    const after = await scenes.stateOf(id)
    const withoutIds = ({ tasks, ...rest }: typeof after) => [rest, tasks.map(([, said]) => said)]
    expect(withoutIds(after)).toEqual(withoutIds(before))
    const files = await filesIn(await archives.take(one))
    expect(await filesIn(await archives.take(id))).toEqual(asImported(files))
    const starts = world.sent.filter(({ queue }) => queue === 'provisioning')
    expect(starts.map(({ body: { kind, agentId } }) => [kind, agentId])).toEqual([['start', id]])
    const list = (await scenes.call('GET', '/api/agents')).body
    expect(list.count).toBe(2)
    const { events } = (await scenes.call('GET', `/api/agents/${id}/events`)).body
    expect(events).toMatchObject([{ kind: 'created', by: `user:${ada.id}` }])
    // The import's data does not count as a restore point of the agent.
    expect(await scenes.points(id)).toEqual([])
    expect(
      (await archives.left()).rows.filter((row) => /^(?:restore|snapshot)#/.test(row)),
    ).toEqual([])
  })

  it('works in another account, whose own agents stay unchanged', async () => {
    const one = await scenes.full()
    const before = await scenes.stateOf(one)
    const zip = await archives.take(one)
    const eve = await world.newUser('eve@b.co', 'network')
    const twice = [
      await archives.bring(zip, {}, eve.session),
      await archives.bring(zip, {}, eve.session),
    ]
    expect(twice.map(({ status }) => status)).toEqual([201, 201])
    expect(await scenes.stateOf(one)).toEqual(before)
    for (const { id } of twice) {
      expect((await world.call('GET', `/api/agents/${id}`, { session: ada.session })).status).toBe(
        404,
      )
      const files = await filesIn(await archives.take(id, eve.session))
      expect(files).toEqual(asImported(await filesIn(zip)))
    }
    const { body } = await scenes.call('GET', '/api/scheduled-tasks', undefined, eve.session)
    expect(body.count ?? 2).toBe(2)
  })

  it('keeps the list of conversations', async () => {
    const said = (topic: string | undefined, second: number, content = 'Hello') =>
      JSON.stringify({
        sender: 'user',
        content,
        timestamp: `2026-11-01T10:00:0${second}.000Z`,
        platform: 'web',
        ...(topic !== undefined && { topic }),
      })
    const lines = [said('plans', 1), said(undefined, 2), said('plans', 3, 'Again')].join('\n')
    const { id } = await archives.bring(archiveOf({ 'conversations.jsonl': lines }))
    const { body } = await scenes.call('GET', `/api/chat/topics?agentId=${id}`)
    expect(body.topics).toEqual([
      { topic: 'plans', lastAt: '2026-11-01T10:00:03.000Z', messages: 2 },
      { topic: 'default', lastAt: '2026-11-01T10:00:02.000Z', messages: 1 },
    ])
    const page = (await scenes.call('GET', `/api/agents/${id}/messages`)).body
    expect(page.total).toBe(3)
    expect(page.messages).toContainEqual(expect.objectContaining({ content: 'Again' }))
  })

  it('keeps the order of messages in the same millisecond', async () => {
    const lines = Array.from({ length: 40 }, (_, i) =>
      JSON.stringify({
        sender: i % 2 === 0 ? 'user' : 'agent',
        content: `${i}`,
        timestamp: '2026-11-01T10:00:00.000Z',
        platform: 'web',
      }),
    )
    const text = `${lines.join('\n')}\n`
    const { id } = await archives.bring(archiveOf({ 'conversations.jsonl': text }))
    expect((await filesIn(await archives.take(id)))['conversations.jsonl']).toBe(text)
  })

  it('accepts a handwritten archive, and requires only the name', async () => {
    const files = { 'memory/tea.md': 'green', 'system-prompt.md': 'You are Bo' }
    const { status, id } = await archives.bring(archiveOf(files))
    expect(status).toBe(201)
    expect(await scenes.stateOf(id)).toMatchObject({
      config: { systemPrompt: 'You are Bo' },
      notes: { tea: 'green' },
      skills: [],
      tasks: [],
      messages: [],
    })
  })

  it('uses the plan that is paid for, with as many skills as it includes', async () => {
    await beAda('solo-1', 'solo')
    const { skills: all } = await platformOver(world.call).skills.list()
    const skills = all.slice(0, 11).map(({ id }) => ({ id, version: '1.0.0', enabled: true }))
    const zip = archiveOf({
      'agent.json': agentJson({ plan: 'network' }),
      'skills.json': JSON.stringify(skills),
    })
    const { id } = await archives.bring(zip)
    expect((await scenes.agentOf(id)).plan).toBe('solo')
    const { skills: kept } = await scenes.stateOf(id)
    expect(kept.length).toBe(Math.min(10, skills.length))
  })

  it('is created once under an Idempotency-Key, which is bound to these bytes', async () => {
    const headers = { 'idempotency-key': `import-${ada.id}` }
    const zip = archiveOf({ 'memory/tea.md': 'green' })
    const first = await archives.bring(zip, headers)
    const second = await archives.bring(zip, headers)
    expect([first.status, second.status, second.id]).toEqual([201, 201, first.id])
    expect((await archives.left()).count).toBe(1)
    const other = archiveOf({ 'memory/tea.md': 'black' })
    const third = await archives.bring(other, headers)
    expect([third.status, third.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
  })
})

describe('an import is rejected without effect', () => {
  const refused = async (zip: Uint8Array, headers: object = {}) => {
    const before = await archives.left()
    const { status, body } = await archives.bring(zip, headers)
    expect(await archives.left()).toEqual(before)
    expect(world.sent).toEqual([])
    return { status, body }
  }

  it('an import is rejected without effect above the limit of agents, and without a subscription', async () => {
    await beAda('solo-2', 'solo')
    for (let i = 0; i < 3; i++) await scenes.newAgent()
    const full = await refused(archiveOf({}))
    expect([full.status, full.body.current, full.body.limit]).toEqual([429, 3, 3])
    const subscription = { id: null, status: 'canceled', customerId: null }
    await userStore(world.table, ada.id).update('profile', { set: { subscription } })
    const unpaid = await refused(archiveOf({}))
    expect([unpaid.status, unpaid.body.code]).toEqual([402, 'SUBSCRIPTION_REQUIRED'])
  })

  it('an import is rejected without effect if its schedules exceed the limit', async () => {
    const schedule = { name: 'Check', cronSchedule: '0 7 * * *', prompt: 'Well?' }
    const of = (count: number) =>
      archiveOf({ 'schedules.json': JSON.stringify(Array.from({ length: count }, () => schedule)) })
    expect((await refused(of(taskLimit + 1))).status).toBe(400)
    const { id } = await archives.bring(of(taskLimit - 1))
    expect(await archives.tasksOf(id)).toHaveLength(taskLimit - 1)
    world.fleet.forget()
    const { status, body } = await refused(of(2))
    expect([status, body.code]).toEqual([409, 'TASK_LIMIT_REACHED'])
    expect((await archives.bring(of(1))).status).toBe(201)
  })

  it('an import is rejected without effect without a session, with an invalid one, and as another content type', async () => {
    const zip = archiveOf({})
    const bytes = new Uint8Array(zip)
    const call = async (session?: string, type = 'application/zip') => {
      const headers = { 'content-type': type }
      const options = { bytes, headers, ...(session !== undefined && { session }) }
      return (await world.call('POST', '/api/agents/import', options)).status
    }
    expect(await call()).toBe(401)
    expect(await call(`${ada.id}.wrong`)).toBe(401)
    for (const type of ['application/json', 'text/plain', 'application/zippy', ''])
      expect(await call(ada.session, type)).toBe(400)
  })

  const agent = (over: object) => ({ 'agent.json': agentJson(over) })
  const schedule = (over: object) => ({
    'schedules.json': JSON.stringify([
      { name: 'A', cronSchedule: '0 7 * * *', prompt: 'B', ...over },
    ]),
  })
  const said = (over: object) => ({
    'conversations.jsonl': JSON.stringify({
      sender: 'user',
      content: 'Hello',
      timestamp: '2026-11-01T10:00:00.000Z',
      platform: 'web',
      ...over,
    }),
  })
  const inAnHour = new Date(Date.now() + 2 * 86_400_000).toISOString()

  it.each<[string, Record<string, string>, RegExp]>([
    ['whose agent.json is not JSON', { 'agent.json': '{' }, /^agent.json: it is not JSON/],
    ['whose agent.json is a list', { 'agent.json': '[]' }, /^agent.json: /],
    ['of another format', agent({ format: 'tar' }), /^agent.json: format/],
    ['of another version', agent({ version: 2 }), /^agent.json: version/],
    ['without a name', agent({ name: ' ' }), /^agent.json: name/],
    ['with an unknown field', agent({ owner: 'usr_1' }), /^agent.json: .*owner/],
    ['with a secret in its config', agent({ config: { telegramToken: '1:a' } }), /telegramToken/],
    ['with a mask in its config', agent({ config: { webhookSecret: '••••' } }), /webhookSecret/],
    [
      'with a webhook',
      agent({ config: { webhookUrl: 'https://hooks.example/in' } }),
      /webhookUrl controls who else reaches the agent/,
    ],
    ['with a price', agent({ config: { paidGateway: true } }), /paidGateway/],
    ['with a nested config', agent({ config: { a: nested(40) } }), /cannot be stored/],
    ['with a long config', agent({ config: { a: 'x'.repeat(65_536) } }), /65536/],
    ['with a long prompt', { 'system-prompt.md': 'x'.repeat(4001) }, /^system-prompt.md: /],
    ['with a NUL in its prompt', { 'system-prompt.md': 'a\0b' }, /NUL/],
    ['with a long note', { 'memory/a.md': 'x'.repeat(100_001) }, /^memory\/a.md: .*100000/],
    [
      'with a policy of an unknown field',
      {
        'policy.json':
          '{"preset":"open","rules":[{"action":"exec","match":{"x":"y"},"then":"deny"}]}',
      },
      /^policy.json: rules.0.match.x/,
    ],
    ['with an unknown skill', skillsOf('of-nobody'), /catalogue has no skill "of-nobody"/],
    ['with a skill twice', skillsOf('code-review', 'code-review'), /twice/],
    ['with an invalid cron expression', schedule({ cronSchedule: 'never' }), /cron expression/],
    ['with an invalid time zone', schedule({ timezone: 'Mars' }), /timezone/],
    ['with an invalid schedule', { 'schedules.json': '["now"]' }, /^schedules.json: /],
    ['with invalid schedules', { 'schedules.json': '{}' }, /^schedules.json: /],
    [
      'with a message of an unknown sender',
      said({ sender: 'eve' }),
      /^conversations.jsonl, line 1: sender/,
    ],
    ['with an invalid time of a message', said({ timestamp: 'now' }), /line 1: timestamp/],
    ['with a message in the future', said({ timestamp: inAnHour }), /in the future/],
    [
      'with a message from before the epoch',
      said({ timestamp: '1969-01-01T00:00:00.000Z' }),
      /1970/,
    ],
    ['with a message too long', said({ content: 'x'.repeat(120_001) }), /line 1: content/],
    ['with an invalid number of tokens', said({ usage: usageOf(1e300) }), /line 1: usage/],
    ['with a message that names an agent', said({ agentId: 'agt_1' }), /agentId/],
    ['with a line that is not JSON', { 'conversations.jsonl': 'Hello' }, /line 1: it is not JSON/],
    ['with an unknown file', { 'secrets.env': 'A=1' }, /"secrets.env" is not a file/],
    ['with a hidden note', { 'memory/.hidden.md': 'x' }, /is not a file/],
    ['with a note in a folder', { 'memory/a/b.md': 'x' }, /is not a file/],
    ['with two files for a note', { 'memory/a.md': '1', 'memory/a~2.md': '2' }, /the same key/],
  ])('%s', async (_, files, words) => {
    const { status, body } = await refused(archiveOf(files))
    expect(body.error).toMatch(words)
    expect(status).toBe(400)
  })

  it('an import is rejected without effect with a memory that is full', async () => {
    const notes = (count: number, length: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`memory/n${i}.md`, 'x'.repeat(length)]),
      )
    for (const [files, limit] of [
      [notes(201, 1), 200],
      [notes(51, 100_000), 5_000_000],
    ] as const) {
      const { status, body } = await refused(archiveOf(files))
      expect([status, body.code, body.limit]).toEqual([400, 'MEMORY_FULL', limit])
    }
  })

  it('an import is rejected without effect with more messages than one request can write', async () => {
    const line = Object.values(said({}))[0]
    const lines = Array.from({ length: 10_001 }, () => line).join('\n')
    const { status, body } = await refused(archiveOf({ 'conversations.jsonl': lines }))
    expect([status, body.error]).toEqual([400, expect.stringContaining('10000')])
  })
})
