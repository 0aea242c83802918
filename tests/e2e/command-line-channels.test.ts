import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandLine, commandLine } from '../support/programs/command-line.ts'
import { keyOf, newSubscriber, stack } from '../support/stack/platform.ts'

let agents: CommandLine
/** An agent of another user. */
let theirs: string
let stranger: CommandLine

async function signedIn() {
  const key = await keyOf(await newSubscriber('solo'), ['read', 'chat', 'write'])
  return commandLine({ PLATFORM_URL: stack().web, PLATFORM_API_KEY: key })
}

beforeAll(async () => {
  ;[agents, stranger] = await Promise.all([signedIn(), signedIn()])
  await agents.json('create', 'Ada')
  const eve = await stranger.json<{ agent: { id: string } }>('create', 'Eve')
  theirs = eve.agent.id
})
afterAll(async () => {
  await agents[Symbol.asyncDispose]()
  await stranger[Symbol.asyncDispose]()
})

it('a webhook is created, changed and deleted, and its secret is printed only when it is made', async () => {
  const prompt = 'promptTemplate=A ticket: {{body.title}} = {{body.text}}'
  const added = await agents.run(['channels', 'add', 'Ada', 'webhook'], `${prompt}\n`)
  expect(added).toMatchObject({ code: 0, stderr: '' })
  const [id = '', address, secret] = added.stdout.split('\n')
  expect(address).toBe(`${stack().web.replace('127.0.0.1', 'localhost')}/in/webhook/${id}`)
  expect(secret).toMatch(/^secret, shown once: whsec_/)
  const listed = await agents.run(['channels', 'ls', 'Ada'])
  expect(listed.stdout).toMatch(new RegExp(`^${id} +webhook +http\\S+ +0 +\\d{4}-`, 'm'))
  expect(listed.stdout).not.toContain('whsec_')
  expect(await agents.json('channels', 'ls', 'Ada')).toMatchObject([
    { id, waiting: 0, settings: { promptTemplate: 'A ticket: {{body.title}} = {{body.text}}' } },
  ])

  const changed = ['channels', 'set', 'Ada', id, '--fields', 'promptTemplate=Hello']
  expect(await agents.run(changed)).toMatchObject({ code: 0, stdout: `${id}\n` })
  const rotated = await agents.run(['channels', 'rotate', 'Ada', id])
  expect(rotated.stdout).toMatch(/^whsec_\S+\n$/)
  expect(secret).not.toContain(rotated.stdout.trim())
  expect(await agents.json('channels', 'deliveries', 'Ada', id)).toEqual([])

  const unconfirmed = await agents.run(['channels', 'rm', 'Ada', id])
  expect(unconfirmed).toMatchObject({ code: 1, stdout: '' })
  expect(unconfirmed.stderr).toContain('--yes')
  expect(await agents.run(['channels', 'rm', 'Ada', id, '--yes'])).toMatchObject({ code: 0 })
  expect(await agents.json('channels', 'ls', 'Ada')).toEqual([])
})

it('an email channel needs no fields, and its senders are approved and blocked', async () => {
  const { id, settings } = await agents.json<{ id: string; settings: { address: string } }>(
    'channels',
    'add',
    'Ada',
    'email',
  )
  expect(settings.address).toBe(`${id}@agents.localhost`)
  expect(await agents.json('senders', 'ls', 'Ada', id)).toEqual([])
  const unknown = await agents.run(['senders', 'approve', 'Ada', id, 'AB12CD34'])
  expect(unknown).toMatchObject({ code: 4, stdout: '' })
  expect(unknown.stderr).toContain('Sender not found')
  const approved = await agents.run(['senders', 'approve', 'Ada', id, '4915112345678'])
  expect(approved.stdout).toBe('4915112345678 is approved\n')
  await agents.run(['senders', 'block', 'Ada', id, '4915112345678'])
  expect(await agents.json('senders', 'ls', 'Ada', id)).toMatchObject([{ state: 'blocked' }])
})

it.each([
  ['a kind that does not exist', ['pigeon'], 'name=1', /kind must be one of/],
  ['a field without a name', ['webhook'], 'Hello', /name=value/],
  ['a missing field', ['telegram'], '', /token/],
  [
    'no public address for Slack',
    ['slack'],
    `botToken=xoxb-1234567890-1234567890-abcdefghijkl\nsigningSecret=${'a'.repeat(32)}`,
    /WEB_URL/,
  ],
])('a channel with %s is refused with the reason', async (_what, args, input, told) => {
  const ended = await agents.run(['channels', 'add', 'Ada', ...args], input)
  expect(ended.code).not.toBe(0)
  expect(ended.stdout).toBe('')
  expect(ended.stderr).toMatch(told)
})

it('connections are refused with the reason, and listed', async () => {
  const refused = await agents.run(['connections', 'add', 'Ada', 'notes', 'https://10.0.0.1/mcp'])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/url/)
  const url = 'https://mcp.example.com/mcp'
  const secret = await agents.run(['connections', 'add', 'Ada', 'notes', url, '--client-secret'])
  expect(secret).toMatchObject({ code: 2, stderr: expect.stringContaining('--client-id') })
  expect(await agents.json('connections', 'ls', 'Ada')).toEqual([])
  expect(await agents.json('connections', 'requests', 'Ada')).toEqual([])
  for (const verb of ['tools', 'sign-in', 'allow', 'rm']) {
    const args = ['connections', verb, 'Ada', 'notes', ...(verb === 'rm' ? ['--yes'] : [])]
    expect(await agents.run(args)).toMatchObject({ code: 4, stdout: '' })
  }
})

it('channels and connections of another user’s agent do not exist', async () => {
  for (const args of [
    ['channels', 'ls', theirs],
    ['channels', 'add', theirs, 'email'],
    ['channels', 'deliveries', theirs, 'chn_1'],
    ['senders', 'ls', theirs, 'chn_1'],
    ['connections', 'ls', theirs],
    ['connections', 'requests', theirs],
  ])
    expect(await agents.run(args)).toMatchObject({ code: 4, stdout: '' })
})
