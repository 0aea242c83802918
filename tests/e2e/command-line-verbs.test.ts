import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryDir } from '#stacks/local/testing/harness.ts'
import type { NewKey } from '../../clients/typescript/index.ts'
import { eventually } from '../support/clock/eventually.ts'
import { type CommandLine, commandLine } from '../support/programs/command-line.ts'
import { keyOf, newSubscriber, stack } from '../support/stack/platform.ts'
import { startWebhook } from '../support/tools/webhook-receiver.ts'

const nobody = 'agt_01h000000000000000abcdefgh'

let agents: CommandLine
let id: string
/** Another user with an agent. */
let other: { agents: CommandLine; id: string }

async function signedIn(plan: string, scopes?: NewKey['scopes']) {
  const key = await keyOf(await newSubscriber(plan), scopes)
  return commandLine({ PLATFORM_URL: stack().web, PLATFORM_API_KEY: key })
}

async function created(on: CommandLine, name: string): Promise<string> {
  return (await on.json<{ agent: { id: string } }>('create', name, '--wait')).agent.id
}

beforeAll(async () => {
  agents = await signedIn('collective', ['read', 'chat', 'write', 'money', 'admin'])
  const stranger = await signedIn('solo')
  ;[id, other] = await Promise.all([
    created(agents, 'Ada'),
    created(stranger, 'Eve').then((theirs) => ({ agents: stranger, id: theirs })),
  ])
})
afterAll(async () => {
  await agents[Symbol.asyncDispose]()
  await other.agents[Symbol.asyncDispose]()
})

it('tasks run at once, list their runs, and are deleted after a confirmation', async () => {
  const schedule = ['--name', 'Daily', '--cron', '0 9 * * *', '--prompt', 'What is new?']
  const task = await agents.json<{ id: string }>('tasks', 'create', 'Ada', ...schedule)
  const { runId } = await agents.json<{ runId: string }>('tasks', 'run', task.id)
  await eventually(async () => {
    expect(await agents.json('tasks', 'runs', task.id)).toMatchObject([
      { id: runId, status: 'finished', reply: expect.stringContaining('What is new?') },
    ])
  })
  expect(await agents.json('runs', 'ls', 'Ada')).toContainEqual(
    expect.objectContaining({ kind: 'task', state: 'finished' }),
  )
  expect(await agents.json('runs', 'ls', '--active')).toEqual([])
  const cancel = ['runs', 'cancel', runId, '--reason', 'Enough']
  expect(await other.agents.run(cancel)).toMatchObject({ code: 4, stdout: '' })
  expect(await agents.run(cancel)).toMatchObject({ code: 1, stdout: '' })
  expect(await agents.run(['tasks', 'rm', task.id])).toMatchObject({ code: 1, stdout: '' })
  expect(await agents.json('tasks', 'rm', task.id, '--yes')).toMatchObject({ success: true })
  expect(await agents.json('tasks', 'ls', 'Ada')).toEqual([])
  expect(await agents.run(['tasks', 'runs', task.id])).toMatchObject({ code: 4 })
})

it('swarms ask all of their agents', async () => {
  const second = await created(agents, 'Bea')
  const swarm = await agents.json<{ id: string }>('swarms', 'create', 'Choir', 'Ada', second)
  expect(await agents.json('swarms', 'ls')).toMatchObject([{ id: swarm.id, name: 'Choir' }])
  const { results } = await agents.json<{ results: { agentId: string; reply: string }[] }>(
    'swarms',
    'run',
    swarm.id,
    'Sing',
  )
  expect(new Set(results.map(({ agentId }) => agentId))).toEqual(new Set([id, second]))
  expect(results.every(({ reply }) => reply.includes('Sing'))).toBe(true)
  expect(await agents.run(['swarms', 'create', 'Theirs', other.id])).toMatchObject({ code: 4 })
  expect(await agents.run(['rm', second, '--yes'])).toMatchObject({ code: 0 })
})

it('snapshots restore an agent’s state', async () => {
  expect(await agents.run(['memory', 'set', 'Ada', 'city', 'Trieste'])).toMatchObject({ code: 0 })
  const made = await agents.json<{ id: string }>('snapshots', 'create', 'Ada', 'Before')
  expect(made).toMatchObject({ name: 'Before', bytes: expect.any(Number) })
  expect(await agents.json('snapshots', 'ls', 'Ada')).toContainEqual(made)
  expect(await agents.run(['memory', 'set', 'Ada', 'city', 'Udine'])).toMatchObject({ code: 0 })
  const restore = ['snapshots', 'restore', 'Ada', made.id]
  expect((await agents.run(restore)).stderr).toContain(`agents ${restore.join(' ')} --yes`)
  expect(await agents.run([...restore, '--yes'])).toMatchObject({ code: 0 })
  await eventually(async () =>
    expect(await agents.json('memory', 'ls', 'Ada')).toEqual([{ key: 'city', value: 'Trieste' }]),
  )
  expect(await other.agents.run(['snapshots', 'ls', id])).toMatchObject({ code: 4, stdout: '' })
})

it('an agent is exported to another account, and duplicated', async () => {
  await using folder = await temporaryDir()
  const file = join(folder.path, 'ada.zip')
  expect(await agents.run(['memory', 'set', 'Ada', 'tea', 'green'])).toMatchObject({ code: 0 })
  expect(await agents.json('export', 'Ada', file)).toEqual({ file, bytes: expect.any(Number) })
  const { agent } = await other.agents.json<{ agent: { id: string } }>('import', file)
  const theirs = await other.agents.json('memory', 'get', agent.id, 'tea')
  expect(theirs).toEqual({ key: 'tea', value: 'green' })
  expect(await other.agents.run(['rm', agent.id, '--yes'])).toMatchObject({ code: 0 })

  const double = (await agents.run(['duplicate', 'Ada', 'Ada too'])).stdout.trim()
  expect(await agents.json('get', double)).toMatchObject({ agent: { name: 'Ada too' } })
  expect(await agents.run(['rm', double, '--yes'])).toMatchObject({ code: 0 })

  const stolen = join(folder.path, 'stolen.zip')
  expect(await other.agents.run(['export', id, stolen])).toMatchObject({ code: 4, stdout: '' })
  expect(existsSync(stolen)).toBe(false)
  await writeFile(stolen, 'no zip')
  expect(await agents.run(['import', stolen])).toMatchObject({ code: 1, stdout: '' })
  expect(await agents.run(['import', join(folder.path, 'none')])).toMatchObject({ code: 1 })
})

it('webhooks receive events', async () => {
  const hook = await startWebhook()
  try {
    const create = ['webhooks', 'create', hook.url, 'key.created', 'key.deleted']
    const { id: endpoint } = await agents.json<{ id: string; secret: string }>(...create)
    expect(await agents.json('webhooks', 'ls')).toMatchObject([{ id: endpoint, url: hook.url }])
    expect(await agents.run(['webhooks', 'test', endpoint])).toMatchObject({ code: 0 })
    await eventually(() => expect(hook.posted[0]?.text).toContain('"ping"'))
    expect(await other.agents.run(['webhooks', 'rm', endpoint, '--yes'])).toMatchObject({ code: 4 })
    expect(await agents.run(['webhooks', 'rm', endpoint, '--yes'])).toMatchObject({ code: 0 })
    expect(await agents.json('webhooks', 'ls')).toEqual([])
  } finally {
    await hook.close()
  }
})

it('skills are installed, used and removed', async () => {
  const installed = async () =>
    (await agents.run(['skills', 'ls', 'Ada'])).stdout
      .split('\n')
      .filter((line) => line.endsWith('true'))
      .map((line) => line.split(' ')[0])
  expect(await agents.json<object[]>('skills', 'ls')).toContainEqual(
    expect.objectContaining({ id: 'meeting-notes' }),
  )
  expect(await installed()).toEqual([])
  expect(await agents.run(['skills', 'add', 'Ada', 'meeting-notes'])).toMatchObject({ code: 0 })
  expect(await installed()).toEqual(['meeting-notes'])
  const used = await agents.run(['skills', 'run', 'Ada', 'meeting-notes'], 'Ann: Go.')
  expect(used).toMatchObject({ code: 0, stdout: expect.stringContaining('Ann: Go.') })
  expect(await agents.run(['skills', 'rm', 'Ada', 'meeting-notes'])).toMatchObject({ code: 0 })
  expect(await installed()).toEqual([])
  expect(await agents.run(['skills', 'add', 'Ada', 'no-such-skill'])).toMatchObject({ code: 4 })
})

it('a config is changed by keys, and credentials are read from standard input', async () => {
  const set = [
    'config',
    'set',
    'Ada',
    'sleepAfterMinutes=30',
    'systemPrompt=Be brief',
    '--no-apply',
  ]
  expect(await agents.json(...set)).toMatchObject({ config: { sleepAfterMinutes: 30 } })
  expect((await agents.run(['config', 'get', 'Ada', 'systemPrompt'])).stdout).toBe('Be brief\n')
  const unset = ['config', 'unset', 'Ada', 'sleepAfterMinutes', '--no-apply']
  const { config } = await agents.json<{ config: object }>(...unset)
  expect(config).not.toHaveProperty('sleepAfterMinutes')
  expect(config).toHaveProperty('systemPrompt', 'Be brief')

  const stored = await agents.run(['credentials', 'set', 'Ada', 'CITY_TOKEN'], 'tok_secret\n')
  expect(stored).toMatchObject({ code: 0, stdout: 'CITY_TOKEN\n' })
  const names = await agents.run(['credentials', 'ls', 'Ada', '--json'])
  expect(JSON.parse(names.stdout)).toMatchObject([{ key: 'CITY_TOKEN' }])
  expect(names.stdout).not.toContain('tok_secret')
  expect(await agents.run(['config', 'get', other.id])).toMatchObject({ code: 4, stdout: '' })
})

it('keys are created, shown once, listed and deleted', async () => {
  const made = await agents.json<{ id: string; key: string }>(
    'keys',
    'create',
    'Reader',
    '--scopes',
    'read',
  )
  expect(await agents.json('keys', 'ls')).toContainEqual(
    expect.objectContaining({ id: made.id, name: 'Reader', scopes: ['read'] }),
  )
  await using reader = await commandLine({
    PLATFORM_URL: stack().web,
    PLATFORM_API_KEY: made.key,
  })
  expect(await reader.json('ls')).toContainEqual(expect.objectContaining({ id }))
  expect(await reader.run(['stop', 'Ada'])).toMatchObject({ code: 5, stdout: '' })
  expect(await reader.run(['keys', 'create', 'Mine'])).toMatchObject({ code: 5, stdout: '' })
  const limits = ['--model', 'openai/gpt-4o', '--per-minute', '60', '--per-day', '1.5']
  limits.push('--routing', '{"order":["router"]}')
  expect(await agents.json('keys', 'update', made.id, ...limits)).toMatchObject({
    limits: { models: ['openai/gpt-4o'], usdPerDay: 1.5, routing: { order: ['router'] } },
  })
  const fewer = ['--model', 'none', '--per-day', 'none', '--name', 'Renamed']
  expect(await agents.json('keys', 'update', made.id, ...fewer)).toMatchObject({
    name: 'Renamed',
    limits: { requestsPerMinute: 60 },
  })
  const wrong = ['keys', 'update', made.id, '--per-day', 'much']
  expect(await agents.run(wrong)).toMatchObject({ code: 2, stdout: '' })
  expect(await agents.run(['keys', 'rm', made.id])).toMatchObject({ code: 1, stdout: '' })
  expect(await agents.run(['keys', 'rm', made.id, '--yes'])).toMatchObject({ code: 0 })
  expect(await reader.run(['ls'])).toMatchObject({ code: 3, stdout: '' })
})

it('usage is a table, a list or CSV, by day, agent, model and key', async () => {
  expect(await agents.run(['chat', 'Ada', 'Count this'])).toMatchObject({ code: 0 })
  await eventually(async () => {
    const rows = await agents.json<Record<string, unknown>[]>('usage', '--by', 'agent')
    expect(rows).toContainEqual(expect.objectContaining({ agent_id: id }))
  })
  for (const by of ['day', 'agent', 'model', 'key']) {
    const rows = await agents.json<Record<string, unknown>[]>('usage', '--by', by, '--days', '7')
    const { stdout } = await agents.run(['usage', '--by', by, '--days', '7', '--csv'])
    const [header, ...lines] = stdout.trimEnd().split('\r\n')
    expect(header?.split(',')).toEqual(Object.keys(rows[0] ?? {}))
    expect(lines).toHaveLength(rows.length)
  }
  expect(await agents.run(['usage', '--by', 'colour'])).toMatchObject({ code: 2, stdout: '' })
})

it('a cap limits the account or one agent, and is cleared', async () => {
  expect((await agents.run(['cap', 'set', '12.5'])).stdout).toBe('12.5 USD a month\n')
  expect(await agents.json('whoami')).toMatchObject({ spendCapUsd: 12.5 })
  expect(await agents.json('cap', 'set', '3', '--agent', 'Ada')).toMatchObject({
    config: { spendCapUsd: 3 },
  })
  expect((await agents.run(['cap', 'set', '2', '--day'])).stdout).toBe('2 USD a day\n')
  expect(await agents.json('whoami')).toMatchObject({ spendCapUsdPerDay: 2 })
  expect((await agents.run(['cap', 'clear', '--day'])).stdout).toBe('No cap\n')
  const cleared = await agents.json<{ config: object }>('cap', 'clear', '--agent', 'Ada')
  expect(cleared.config).not.toHaveProperty('spendCapUsd')
  expect(await agents.json('cap', 'clear')).toMatchObject({ spendCapUsd: null })
  expect(await agents.run(['cap', 'set', 'much'])).toMatchObject({ code: 2, stdout: '' })
})

it('an estimate takes a prompt or tokens', async () => {
  const [model = { id: '' }] = await agents.json<{ id: string }[]>('models')
  const byPrompt = await agents.json('estimate', model.id, '--prompt', 'Hello', '--out', '100')
  expect(byPrompt).toMatchObject({ model: model.id, currency: 'USD' })
  const byTokens = await agents.json('estimate', model.id, '--in', '1000000', '--out', '0')
  expect(byTokens).toMatchObject({ inputTokens: 1_000_000, currency: 'USD' })
  expect(await agents.run(['estimate', model.id])).toMatchObject({ code: 2, stdout: '' })
  const unknown = await agents.run(['estimate', 'nobody/none', '--in', '1'])
  expect(unknown).toMatchObject({ code: 4, stdout: '' })
})

it('an agent is stopped, started, repaired and opened, and its incidents are listed', async () => {
  const state = (words: string) =>
    eventually(async () =>
      expect(await agents.json('get', 'Ada')).toMatchObject({ agent: { status: words } }),
    )
  expect(await agents.run(['stop', 'Ada'])).toMatchObject({ code: 0 })
  await state('stopped')
  expect(await agents.run(['start', 'Ada'])).toMatchObject({ code: 0 })
  await state('running')
  expect(await agents.run(['repair', 'Ada'])).toMatchObject({ code: 0 })
  await state('running')
  expect(await agents.json('incidents', 'Ada')).toEqual([])
  const { url } = await agents.json<{ url: string }>('open', 'Ada')
  expect(URL.canParse(url)).toBe(true)
  for (const verb of ['stop', 'start', 'repair', 'open', 'incidents'])
    expect(await agents.run([verb, other.id])).toMatchObject({ code: 4, stdout: '' })
})

it('init continues with the existing agent, and asks nothing without a terminal', async () => {
  const first = await agents.run(['init'])
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello, who are you?') })
  expect(first.stderr).toContain(`Continue with: agents chat ${id}`)
  await using outside = await commandLine({ PLATFORM_URL: stack().web })
  expect(await outside.run(['init', '--json'])).toMatchObject({ code: 3, stdout: '' })
})

it('status requires no sign-in, and prints the address', async () => {
  await using outside = await commandLine()
  const { stdout, code } = await outside.run(['status', '--url', stack().web])
  expect({ stdout, code }).toEqual({ stdout: `${stack().web} is ready\n`, code: 0 })
  expect(await outside.json('status', '--url', stack().web)).toMatchObject({ status: 'ready' })
})

it.each([
  ['memory', ['memory', 'ls', nobody]],
  ['skills', ['skills', 'add', nobody, 'meeting-notes']],
  ['credentials', ['credentials', 'ls', nobody]],
  ['tasks', ['tasks', 'run', 'tsk_01h000000000000000abcdefgh']],
  ['swarms', ['swarms', 'run', 'swm_01h000000000000000abcdefgh', 'Hi']],
  ['snapshots', ['snapshots', 'ls', nobody]],
  ['keys', ['keys', 'rm', 'key_01h000000000000000abcdefgh', '--yes']],
  ['webhooks', ['webhooks', 'test', 'whe_01h000000000000000abcdefgh']],
  ['runs', ['runs', 'cancel', 'run_01h000000000000000abcdefgh']],
])('%s of missing resources exit with 4', async (_noun, args) => {
  const ended = await agents.run([...args, '--json'])
  expect(ended).toMatchObject({ code: 4, stdout: '' })
  expect(ended.stderr).not.toBe('')
})
