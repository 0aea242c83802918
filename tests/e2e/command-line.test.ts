import { readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { type CommandLine, commandLine } from '../support/programs/command-line.ts'
import { call, keyOf, newSubscriber, platformOf, stack } from '../support/stack/platform.ts'

interface Waiting {
  status: string
  userCode: string
  verificationUriComplete: string
}

let agents: CommandLine
let key: string

beforeAll(async () => {
  key = await keyOf(await newSubscriber('label'))
  agents = await commandLine()
  const login = await agents.run(['login', '--url', stack().web, '--token', '-'], `${key}\n`)
  expect(login).toMatchObject({ code: 0 })
})
afterAll(() => agents[Symbol.asyncDispose]())

describe('signing in', () => {
  it('works with a code that is approved in the browser, and ends with the sign-out', async () => {
    await using own = await commandLine()
    const user = await newSubscriber()
    const { printed, ended } = own.start(['login', '--url', stack().web, '--json'])
    await eventually(() => expect(printed.stdout).toContain('\n'))
    const { status, userCode, verificationUriComplete } = JSON.parse(printed.stdout) as Waiting
    expect({ status, verificationUriComplete }).toEqual({
      status: 'waiting',
      verificationUriComplete: expect.stringContaining(`/device?user_code=${userCode}`),
    })
    const body = { userCode, approve: true }
    expect(await platformOf(user).oauth.decideDevice(body)).toEqual({ approved: true })
    const { code, stdout } = await ended
    expect({ code, ...JSON.parse(stdout.split('\n')[1] ?? '') }).toMatchObject({
      code: 0,
      status: 'done',
      email: user.email,
    })
    const stored = await readFile(own.configFile, 'utf8')
    const [token] = /at_\w+/.exec(stored) ?? ['']
    expect(await own.json('whoami')).toMatchObject({ email: user.email })
    expect(await own.run(['logout'])).toMatchObject({ code: 0 })
    const after = await call(`${stack().web}/api/settings`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(after.status).toBe(401)
  })

  it('stores the key in a file that only its owner can read, and deletes it', async () => {
    await using own = await commandLine()
    const url = ['--url', stack().web]
    expect(await own.run(['ls', ...url])).toMatchObject({ code: 3, stdout: '' })
    expect(await own.run(['login', ...url, '--token', '-'], 'sk_wrong')).toMatchObject({ code: 3 })
    await expect(stat(own.configFile)).rejects.toThrow('ENOENT')
    expect(await own.run(['login', ...url, '--token', '-'], key)).toMatchObject({ code: 0 })
    expect((await stat(own.configFile)).mode & 0o777).toBe(0o600)
    expect((await own.run(['whoami'])).stdout).toMatch(/^user-.*@example\.com \(label\) at http/)
    expect(await own.run(['logout'])).toMatchObject({ code: 0 })
    expect(await readFile(own.configFile, 'utf8')).not.toContain(key)
    expect(await own.run(['whoami'])).toMatchObject({ code: 3 })
  })

  it('is not required if the environment has a key', async () => {
    await using own = await commandLine({ PLATFORM_URL: stack().web, PLATFORM_API_KEY: key })
    expect(await own.json('whoami')).toMatchObject({ plan: 'label' })
    await using wrong = await commandLine({ PLATFORM_URL: stack().web, PLATFORM_API_KEY: 'sk_no' })
    expect(await wrong.run(['ls'])).toMatchObject({ code: 3, stdout: '' })
  })
})

it('creates an agent, talks to it, adds a memory and a task, and deletes it', async () => {
  const { agent } = await agents.json<{ agent: { id: string; status: string } }>(
    'create',
    'Ada',
    '--wait',
  )
  expect(agent.status).toBe('running')
  const { id } = agent
  expect(await agents.json<object[]>('ls')).toContainEqual(expect.objectContaining({ id }))
  expect(await agents.json('get', 'Ada')).toMatchObject({ agent: { id, name: 'Ada' } })

  expect((await agents.run(['chat', 'Ada', 'Good morning'])).stdout).toContain('Good morning')
  const events = await agents.run(['chat', 'Ada', '--json'], 'And a good night')
  const reports = events.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string })
  expect(reports.at(-1)).toMatchObject({ type: 'done', agentId: id })
  expect(reports.slice(0, -1).every(({ type }) => type === 'delta')).toBe(true)

  expect(await agents.run(['memory', 'set', 'Ada', 'city'], 'Trieste\n')).toMatchObject({ code: 0 })
  expect((await agents.run(['memory', 'get', 'Ada', 'city'])).stdout).toBe('Trieste\n')
  expect(await agents.run(['memory', 'rm', 'Ada', 'city'])).toMatchObject({ code: 0 })
  expect(await agents.run(['memory', 'get', 'Ada', 'city'])).toMatchObject({ code: 4 })

  const schedule = ['--name', 'Daily', '--cron', '0 9 * * *', '--prompt', 'What is new?']
  const task = await agents.json<{ id: string }>('tasks', 'create', 'Ada', ...schedule)
  expect(await agents.json('tasks', 'edit', task.id, '--disable')).toMatchObject({ enabled: false })
  expect(await agents.json<object[]>('tasks', 'ls')).toHaveLength(1)

  const set = [
    'config',
    'set',
    'Ada',
    'sleepAfterMinutes=30',
    'systemPrompt=Be brief',
    '--no-apply',
  ]
  expect(await agents.json(...set)).toMatchObject({
    config: { sleepAfterMinutes: 30, systemPrompt: 'Be brief' },
  })
  expect(await agents.run(['credentials', 'set', 'Ada', 'TOKEN'], 'hidden')).toMatchObject({
    code: 0,
  })
  expect(await agents.json<object[]>('credentials', 'ls', 'Ada')).toMatchObject([{ key: 'TOKEN' }])

  const rm = await agents.run(['rm', 'Ada', '--json'])
  expect({ code: rm.code, ...JSON.parse(rm.stdout) }).toMatchObject({
    code: 1,
    status: 'action_required',
    next: [{ command: 'agents rm Ada --yes' }],
  })
  expect(await agents.json('rm', 'Ada', '--yes')).toEqual({ id, deleted: true })
  expect(await agents.run(['get', id])).toMatchObject({ code: 4, stdout: '' })
})

it('follows a log over a restart, each line once, until it is interrupted', async () => {
  const { agent } = await agents.json<{ agent: { id: string } }>('create', 'Echo', '--wait')
  const { child, printed, ended } = agents.start(['logs', agent.id, '-f', '--json'])
  const lines = () => printed.stdout.trim().split('\n')
  const count = (words: string) => lines().filter((line) => line.includes(words)).length
  await eventually(() => expect(lines()[0]).toContain('"line"'))
  expect(await agents.run(['chat', agent.id, 'One'])).toMatchObject({ code: 0 })
  await eventually(() => expect(count('/v1/chat/completions')).toBe(1))
  expect(await agents.run(['restart', agent.id])).toMatchObject({ code: 0 })
  await eventually(() => expect(count('"exit"')).toBe(1))
  await eventually(async () =>
    expect(await agents.json('get', agent.id)).toMatchObject({ agent: { status: 'running' } }),
  )
  expect(await agents.run(['chat', agent.id, 'Two'])).toMatchObject({ code: 0 })
  await eventually(() => expect(count('/v1/chat/completions')).toBe(2))
  const ids = lines().flatMap((line) => (JSON.parse(line) as { id?: string }).id ?? [])
  expect(new Set(ids).size).toBe(ids.length)
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  const words = await agents.run(['logs', agent.id, '--grep', 'nothing says this'])
  expect(words).toMatchObject({ code: 0, stdout: '' })
})

describe('a command that fails', () => {
  it.each([
    ['an unknown command', ['sing'], 2],
    ['a missing argument', ['get'], 2],
    ['an unknown flag', ['ls', '--nonsense'], 2],
    ['an invalid number', ['logs', 'Nobody', '--tail', 'many'], 2],
    ['an invalid expression', ['logs', 'Nobody', '--grep', '('], 2],
    ['an invalid path', ['api', 'GET', 'agents'], 2],
    ['an invalid field', ['api', 'POST', '/api/keys', '-f', 'name'], 2],
    ['a missing agent', ['get', 'Nobody'], 4],
    ['a missing id', ['get', 'agt_01h000000000000000abcdefgh'], 4],
    ['input that the platform rejects', ['api', 'POST', '/api/swarms', '-f', 'name='], 1],
    ['an operation that requires a session', ['api', 'GET', '/api/auth/sessions'], 5],
    ['an unavailable platform', ['status', '--url', 'http://127.0.0.1:1'], 1],
  ])('exits by the kind of error: %s', async (_what, args, code) => {
    const ended = await agents.run(args)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).not.toBe('')
  })
})

it('asks for no input', async () => {
  const { stdout } = await agents.run(['api', 'GET', '/api/agents'])
  expect(JSON.parse(stdout)).toMatchObject({ status: 'ok' })
})
