import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Command, type RouteMap, run } from '@stricli/core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { temporaryDir } from '../../stacks/local/testing/harness.ts'
import { operations } from '../typescript/generated/operations.ts'
import { app } from './app.ts'
import { byApi } from './by-api.ts'
import { Cli } from './cli.ts'
import type { Context } from './command.ts'

/** Only a browser session may call these: the command line has no session and would be refused. */
const ofSessions = [
  'account.delete',
  'auth.listSessions',
  'auth.endSession',
  'settings.changePassword',
  ...['decideDevice', 'decideRequest', 'getDevice', 'getRequest'].map((name) => `oauth.${name}`),
  'withdrawals.create',
]

const agent = `agt_${'0'.repeat(26)}`
/** Additional ways to call a command, in addition to the shortest one. */
const ways: Readonly<Record<string, readonly (readonly string[])[]>> = {
  login: [['--token', 'sk_test'], []],
  create: [['--wait']],
  logs: [[], ['-f']],
  usage: ['day', 'agent', 'model', 'key'].map((by) => ['--by', by]),
  'channels add': [['--fields', 'promptTemplate=Hi']],
  'channels set': [['--fields', 'promptTemplate=Hi']],
  'cap set': [[], ['--agent', agent]],
  'policy show': [[], ['--json']],
  'policy set': [['--preset', 'guarded']],
  'mandate set': [['--payment', '1', '--day', '1', '--month', '1']],
  estimate: [
    ['--prompt', 'Hi'],
    ['--in', '1'],
  ],
}

/** A response that satisfies every command; every value in it is 1. */
const anyAnswer = {
  access_token: 'at_1',
  agent: { id: agent, status: 'running', watchdog: { incidents: [] } },
  agents: [{ id: agent, name: '1', status: 'running' }],
  channels: [{ id: '1', settings: {} }],
  client_id: 'cli_1',
  connections: [{ name: '1', tools: [], leftOut: [] }],
  counts: {},
  config: {},
  cursor: null,
  data: [],
  details: {},
  device_code: 'code',
  entries: [],
  expires_in: 900,
  installedSkillIds: [],
  interval: 0,
  leftOut: [],
  lines: [],
  memory: { 1: 'one' },
  models: [{ id: '1', inputCost: 1, outputCost: 1 }],
  plan: 'solo',
  records: [],
  refresh_token: 'rt_1',
  results: [],
  rules: [],
  sentences: [],
  skills: [],
  user: null,
}

const named = Object.entries(operations).map(([name, { operation }]) => ({
  name,
  operation,
  // If two operations match an address, the one with fewer parameters is right.
  open: operation.split('{').length,
  pattern: new RegExp(`^${operation.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))
named.sort((a, b) => a.open - b.open)

let folder: Awaited<ReturnType<typeof temporaryDir>>
const reached = new Set<string>()

beforeAll(async () => {
  folder = await temporaryDir()
  vi.stubGlobal('fetch', (address: string, { method }: RequestInit) => {
    const asked = `${method} ${new URL(address).pathname}`
    const found = named.find(({ pattern }) => pattern.test(asked))
    if (found !== undefined) reached.add(found.name)
    const isLog = found?.name === 'agents.logs.follow'
    if (isLog) return Promise.resolve(Response.json({ error: 'gone' }, { status: 404 }))
    const headers = { 'content-type': 'text/event-stream' }
    if (found?.name === 'chat.send')
      return Promise.resolve(new Response('event: done\ndata: {}\n\n', { headers }))
    return Promise.resolve(Response.json(anyAnswer))
  })
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await folder[Symbol.asyncDispose]()
})

async function say(words: readonly string[]): Promise<void> {
  const silent = { isTTY: false, write: () => true }
  const env = {
    PLATFORM_URL: 'http://127.0.0.1:1',
    PLATFORM_API_KEY: 'sk_test',
    XDG_CONFIG_HOME: folder.path,
  }
  const io = { env, stdout: silent, stderr: silent, stdin: Readable.from(['text']) }
  const cli = new Cli(io as unknown as NodeJS.Process, new AbortController().signal)
  const context: Context = { process: io, cli, fail: () => undefined }
  await run(app, words, context)
}

/** Returns every way to call every command below a route, with the words that lead to it. */
function commandsOf(
  target: Command<Context> | RouteMap<Context>,
  path: readonly string[],
): (readonly string[])[] {
  if ('getAllEntries' in target)
    return target
      .getAllEntries()
      .flatMap((entry) => commandsOf(entry.target, [...path, entry.name.original]))
  const { flags = {}, positional } = target.parameters
  const placed =
    positional?.kind === 'tuple'
      ? positional.parameters
      : positional === undefined
        ? []
        : Array.from({ length: positional.minimum ?? 1 }, () => positional.parameter)
  const file = join(folder.path, 'file')
  const values = placed.map(({ placeholder }) => (placeholder?.startsWith('file') ? file : '1'))
  const yes = 'yes' in flags ? ['--yes'] : []
  const own = ways[path.join(' ')] ?? [[]]
  return own.map((way) => path.concat(yes, way, values))
}

it('the command line has a command for every operation, or names the reason for its absence', async () => {
  reached.clear()
  for (const words of commandsOf(app.root, [])) if (words[0] !== 'api') await say(words)
  const exceptions = new Set([...ofSessions, ...Object.values(byApi).flat()])
  expect(named.length).toBeGreaterThan(170)
  const missing = named.filter(({ name }) => !reached.has(name) && !exceptions.has(name))
  expect(missing.map(({ name }) => name)).toEqual([])
  const all = new Set(named.map(({ name }) => name))
  expect([...exceptions].filter((name) => reached.has(name) || !all.has(name))).toEqual([])
})

it.each(Object.values(byApi).flat())('`agents api` sends %s', async (name) => {
  reached.clear()
  const { operation = '' } = named.find((one) => one.name === name) ?? {}
  const [method = '', path = ''] = operation.split(' ')
  await say(['api', method, path.replaceAll(/\{\w+\}/g, 'x')])
  expect([...reached]).toEqual([name])
})

it('names the operations that require a session and accept no key', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/api/web.json'), 'utf8')
  const { paths } = JSON.parse(document) as {
    paths: Record<string, Record<string, { operationId: string; security: object[] }>>
  }
  const alone = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ security }) => JSON.stringify(security) === '[{"session":[]}]')
  expect(alone.map(({ operationId }) => operationId).toSorted()).toEqual(ofSessions.toSorted())
})
