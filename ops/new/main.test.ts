import { execFile } from 'node:child_process'
import { cp, glob, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsOf, scaffold } from './main.ts'

const repository = resolve(import.meta.dirname, '../..')
const copied = [
  'agent',
  'clients',
  'console',
  'docs/api',
  'functions',
  'lint',
  'shared',
  'skills',
  'stacks',
  'tests',
]
const settings = [
  '.oxfmtrc.json',
  'CHANGELOG.md',
  'README.md',
  '.oxlintrc.json',
  'package.json',
  'tsconfig.app.json',
  'vitest.config.ts',
]

/** Method, path and name of each route. */
const routesOfLabels = [
  ['POST', '/api/agents/:id/labels', 'agents.labels.create'],
  ['GET', '/api/agents/:id/labels', 'agents.labels.list'],
  ['DELETE', '/api/agents/:id/labels/:labelId', 'agents.labels.delete'],
]

let root: string
/** The paths of all new and changed files. */
const paths: string[] = []
/** The printed text of each call. */
const printed: string[] = []

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'new-'))
  for (const each of [...copied, ...settings])
    await cp(join(repository, each), join(root, each), { recursive: true })
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  await write([
    ['noun', 'agents/labels', 'labels of agents'],
    ['row', 'agents/labels', 'label'],
    ['verb', 'agents/labels/create'],
    ['route', 'web', 'labels', ...routesOfLabels.flat()],
    ['route', 'web', 'labels', 'GET', '/api/agents/:id/labels/:labelId', 'agents.labels.get'],
    ['route', 'web', 'runs', 'GET', '/api/runs/:id/labels', 'runs.labels.list'],
    ['route', 'backend', 'label-counts', 'GET', '/api/label-counts', 'labelCounts.get'],
    ['job', 'agents/labels', 'label-checks'],
    ['screen', 'labels', 'Labels'],
    ['resource', 'tools/bookmarks', 'pages that a user keeps', '--limit', '3'],
    ['route', 'web', 'bookmarks', 'POST', '/api/bookmarks/:id/archive', 'bookmarks.archive'],
    ['route', 'web', 'bookmarks', 'GET', '/api/bookmarks/counts', 'bookmarks.counts'],
    ['job', 'tools/digests', 'digests of pages', '--limit', '2'],
  ])
  const [api = []] = commandsOf(['api'])
  await promisify(execFile)(process.execPath, api, { cwd: root })
  await write([['screen', 'bookmarks', 'My bookmarks', 'bookmarks.list', 'menu']])
  await program('oxfmt/bin/oxfmt', ...paths)
})
afterAll(() => rm(root, { recursive: true }))

const text = (path: string) => readFile(join(root, path), 'utf8')

async function write(commands: readonly string[][]): Promise<void> {
  for (const words of commands) {
    const result = await scaffold(root, words)
    paths.push(...result.paths)
    printed.push(result.printed)
  }
}

/** Runs a program of node_modules in the copy. @returns its output, also if it fails */
async function program(name: string, ...args: string[]): Promise<string> {
  const run = promisify(execFile)(
    process.execPath,
    [join(repository, 'node_modules', name), ...args],
    { cwd: root },
  )
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  return stdout
}

/** Returns the type errors of files and of all that they import. */
async function typeErrors(project: string, include: readonly string[]): Promise<string> {
  const config = join(root, project, 'tsconfig.new.json')
  const extended = project === '' ? './tsconfig.app.json' : './tsconfig.json'
  const compilerOptions = { incremental: false, tsBuildInfoFile: null }
  await writeFile(config, JSON.stringify({ extends: extended, compilerOptions, include }))
  return program('typescript-native/bin/tsc', '-p', config)
}

describe('npm run new', () => {
  it('adds lines to the lists of nouns, tags, prefixes, functions, queues, rows and screens', async () => {
    expect(JSON.parse(await text('shared/districts.json'))).toContainEqual(
      expect.objectContaining({
        nouns: expect.objectContaining({ labels: 'labels of agents' }) as unknown,
      }),
    )
    expect(JSON.parse(await text('shared/districts.json'))).toContainEqual(
      expect.objectContaining({
        nouns: expect.objectContaining({
          bookmarks: 'pages that a user keeps',
          digests: 'digests of pages',
        }) as unknown,
      }),
    )
    const added = {
      'shared/http/openapi/tags.ts': "'label counts': 'Label counts'",
      'shared/manifest/functions/table.ts': "'/api/agents/{id}/labels'",
      'functions/web/table.ts': '...bookmarks,',
      'functions/web/runs.ts': "name: 'runs.labels.list'",
      'shared/manifest/functions/background.ts': "name: 'label-checks-due'",
      'shared/manifest/functions/web.ts': "name: 'web-digests'",
      'README.md': '[bookmarks](docs/use/bookmarks.md)',
      'CHANGELOG.md': '- Bookmarks, pages that a user keeps: `/api/bookmarks`',
      'shared/http/openapi/codes.ts': 'BOOKMARK_LIMIT_REACHED',
      'functions/jobs/entitlements.ts': 'bookmarkRows,\n  digestRows,',
      'clients/typescript/platform.ts': 'readonly digests = new Digests(this.client)',
      'clients/cli/by-api.ts': "'bookmarks.create'",
      'console/screens/connect/scope-words.ts': "['webhooks', 'bookmarks', 'digests']",
      'functions/common/watched-queues.ts': "'label-checks': true",
      'tests/table/traffic.ts': "'label'",
      'console/app/routes.ts': "pattern: '/labels'",
      'shared/manifest/console.ts': "'/labels'",
      'tests/console/support/pages.ts': "h1: 'My bookmarks', shows: 'No bookmarks yet'",
      'console/base/platform.ts': 'readonly bookmarks = new Bookmarks(this.client)',
      'console/app/places.ts': "to: '/bookmarks'",
    }
    for (const [path, line] of Object.entries(added)) {
      expect(paths).toContain(path)
      expect(await text(path)).toContain(line)
    }
  })

  it('prints the remaining steps', () => {
    expect(printed[0]).toContain('npx vitest run tests/docs/districts -u')
    expect(printed[3]).toContain("this.opWithBody('POST /api/agents/{id}/labels')")
    expect(printed[3]).toContain("this.listOf('GET /api/agents/{id}/labels', 'labels')")
    expect(printed[3]).toContain("'agents.labels.delete' to `byApi` of clients/cli/by-api.ts")
    expect(printed[3]).toContain('npm run infra')
    expect(printed[4]).not.toContain('npm run infra')
  })

  it('writes routes of agents with their limit, the tag of similar routes and named schemas', async () => {
    const group = await text('functions/web/labels.ts')
    expect(group.match(/agentsLimit\] \}\)|'too-many-requests'/g)).toHaveLength(5)
    expect(group.match(/tag: 'agents'/g)).toHaveLength(4)
    const ids = group.matchAll(/id: '([A-Z]\w+)'/g)
    expect([...ids].map(([, id]) => id)).toEqual([
      'AgentLabel',
      'NewAgentLabel',
      'AgentLabelList',
      'DeletedAgentLabel',
    ])
  })

  it('adds a route to the group of a resource with its tag, its schemas and a method of the client', async () => {
    const group = await text('functions/web/bookmarks.ts')
    expect(group.match(/^ {4}tag,$/gm)).toHaveLength(7)
    expect(group.match(/^ {4}response: bookmarkView,$/gm)).toHaveLength(4)
    expect(group).toContain("meta({ id: 'BookmarkCountsResult' })")
    const client = await text('clients/typescript/resources/bookmarks.ts')
    expect(client).toContain("archive = this.opWithBody('POST /api/bookmarks/{id}/archive')")
    expect(await text('clients/cli/by-api.ts')).toContain("'bookmarks.archive',")
  })

  it('writes files that compile', { timeout: 120_000 }, async () => {
    const isConsole = (path: string) => path.startsWith('console/')
    const code = paths.filter((path) => path.endsWith('.ts') && !isConsole(path))
    // The declaration of what the console's tests receive from their setup.
    code.push('tests/console/support/global-stack.ts')
    expect(await typeErrors('', code)).toBe('')
    const screens = paths.filter(isConsole).map((path) => path.slice('console/'.length))
    expect(await typeErrors('console', [...screens, '*.d.ts'])).toBe('')
  })

  it('writes files that the linter accepts', async () => {
    expect(
      await program('oxlint/bin/oxlint', ...paths.filter((path) => /tsx?$/.test(path))),
    ).toMatch(/^Found 0 warnings and 0 errors/)
  })

  it('writes tests that pass', { timeout: 120_000 }, async () => {
    const tests = paths.filter((path) => /^(shared|functions)\/.*\.test\.ts$/.test(path))
    expect(tests.length).toBe(6)
    await program(
      'vitest/vitest.mjs',
      'run',
      '--reporter=json',
      '--outputFile=result.json',
      ...tests,
    )
    expect(JSON.parse(await text('result.json'))).toMatchObject({
      success: true,
      // Three routes of labels, one of their counts, three of durable work, five of a resource, and seven of a job.
      numPassedTests: 19,
    })
  })

  it(
    'writes a test of durable work that fails if its transaction is divided',
    { timeout: 120_000 },
    async () => {
      const path = 'shared/tools/digests/work/attempt.ts'
      const original = await text(path)
      const split = original.replace(
        /const refusals = await (digestWork\.finish\(\{ table \}, work, \{ set \})[^]*?refusals !== undefined\).*/,
        'await $1)\n  await table.transact([count])',
      )
      expect(split).not.toBe(original)
      await writeFile(join(root, path), split)
      const test = path.replace('.ts', '.test.ts')
      await program('vitest/vitest.mjs', 'run', '--reporter=json', '--outputFile=split.json', test)
      await writeFile(join(root, path), original)
      const { testResults } = JSON.parse(await text('split.json')) as {
        testResults: { assertionResults: { title: string; status: string }[] }[]
      }
      const results = testResults.flatMap(({ assertionResults }) => assertionResults)
      expect(results.filter(({ status }) => status === 'failed')).toEqual([
        expect.objectContaining({
          title: 'is finished once if its process is killed before any of its calls',
        }),
        expect.objectContaining({
          title: 'is finished once if its process is killed after any of its calls',
        }),
      ])
    },
  )

  it('writes durable work with its state in few lines', async () => {
    const code: string[] = []
    for await (const path of glob('shared/agents/labels/work/*.ts', { cwd: root }))
      if (!path.endsWith('.test.ts'))
        code.push(
          ...(await text(path)).split('\n').filter((line) => /^(?!import)\s*\w|^[})]/.test(line)),
        )
    expect(code.length).toBeGreaterThan(20)
    expect(code.length).toBeLessThan(45)
  })

  it.each([
    [['page', 'x'], /^usage:/],
    [['noun', 'agents/labels'], /^usage:/],
    [['row', '../outside', 'label'], /^usage:/],
    [['verb', 'agents/labels'], /^usage:/],
    [['route', 'web', 'agents', 'SEND', '/x', 'agents.send'], /^usage:/],
    [['route', 'web', 'agents', 'GET', '/x', 'agents'], /^usage:/],
    [['route', 'web', 'agents', 'GET', '/x', 'agents.get', 'POST'], /^usage:/],
    [['screen', 'labels', "it's"], /^usage:/],
    [['screen', 'pens', 'Pens', 'pens.list'], /^the client has no list pens\.list/],
    [['screen', 'pens', 'Pens', 'agents.get'], /^the client has no list agents\.get/],
    [['resource', 'tools/pens', 'pages'], /^usage:/],
    [['resource', 'tools/pens', '--limit', '3'], /^usage:/],
    [['resource', 'tools/deer', 'animals', '--limit', '3'], /^deer is not a plural/],
    [['resource', 'tools/swarms', 'again', '--limit', '3'], /^the API already has a schema Swarm$/],
    [['noun', 'nowhere/labels', 'labels'], /^nowhere is not one of manifest, /],
    [['noun', 'agents/record', 'again'], /^agents already has a noun record$/],
    [['row', 'agents/labels', 'other'], /rows\.ts exists$/],
  ])('rejects %j', async (words, message) => {
    await expect(scaffold(root, words)).rejects.toThrow(message)
  })
})
