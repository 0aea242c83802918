import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DocumentedResponse } from '#shared/http/openapi/document.ts'
import { functions, surfaces } from '#shared/manifest/index.ts'
import { root, temporaryDir } from '../local/testing/harness.ts'
import { breakingChanges } from './api/breaking.ts'
import { type ApiDocument, writeDocument } from './api/document.ts'
import { writeClient } from './client/write-client.ts'
import { buildDocuments } from './docs.ts'
import type { referenceData } from './reference/data.ts'

let dir: Awaited<ReturnType<typeof temporaryDir>>
let docsDir: string
let functionsDir: string
let written: boolean

const build = () => buildDocuments({ functions, root, docsDir, functionsDir })

beforeAll(async () => {
  dir = await temporaryDir()
  docsDir = join(dir.path, 'docs')
  functionsDir = join(dir.path, 'functions')
  written = await build()
})
afterAll(() => dir[Symbol.asyncDispose]())

async function documentOf(surface: string) {
  const json = await readFile(join(docsDir, `${surface}.json`), 'utf8')
  return {
    json,
    ...(JSON.parse(json) as {
      openapi: string
      components: { schemas: Record<string, object> }
      paths: Record<string, object>
    }),
  }
}

test.each(surfaces)(
  '%s has a document and a page, which its system function serves',
  async (surface) => {
    const { json, openapi, paths } = await documentOf(surface)
    expect(openapi).toBe('3.1.0')
    expect(paths).toHaveProperty(['/openapi.json', 'get'])
    const page = await readFile(join(docsDir, `${surface}.html`), 'utf8')
    for (const path of Object.keys(paths)) expect(page).toContain(JSON.stringify(path))
    expect(page).not.toMatch(/<[^>]+ (?:src|href)="https?:/)
    const folder = join(functionsDir, `${surface}-system`)
    expect(await readFile(join(folder, 'openapi.json'), 'utf8')).toBe(json)
    expect(await readFile(join(folder, 'docs.html'), 'utf8')).toBe(page)
    const packed = await readFile(join(folder, 'docs.html.br'))
    expect(brotliDecompressSync(packed).toString()).toBe(page)
    expect(gunzipSync(await readFile(join(folder, 'docs.html.gzip'))).toString()).toBe(page)
  },
)

test.each(surfaces)('%s names every operation once, as resource and verb', async (surface) => {
  const { paths } = await documentOf(surface)
  const names = Object.values(paths).flatMap((methods) =>
    Object.values(methods as Record<string, { operationId: string }>).map(
      ({ operationId }) => operationId,
    ),
  )
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/)
})

test('a request that can wait for an approval has the response 202, with the id of the approval', async () => {
  const { paths } = await documentOf('backend')
  const parks = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods as Record<string, { responses: object }>).flatMap(({ responses }) =>
      JSON.stringify(responses).includes('POLICY_DENIED') ? [{ path, responses }] : [],
    ),
  )
  expect(new Set(parks.map(({ path }) => path))).toEqual(
    new Set(['/broker/{name}/{host}/{path}', '/pay/{host}/{path}', '/api/underground/bus/send']),
  )
  const schema = { $ref: '#/components/schemas/PendingApproval' }
  for (const { responses } of parks)
    expect(responses).toMatchObject({ 202: { content: { 'application/json': { schema } } } })
})

/** Returns every inline schema in a value that has this property. Named schemas are references. */
function inlineWith(property: string, value: unknown): object[] {
  if (value === null || typeof value !== 'object') return []
  const { properties } = value as { properties?: object }
  const found = properties !== undefined && property in properties ? [value] : []
  return [...found, ...Object.values(value).flatMap((one) => inlineWith(property, one))]
}

test.each(surfaces)('%s names every response schema with an id', async (surface) => {
  const { json } = await documentOf(surface)
  const { paths, components } = JSON.parse(json) as {
    paths: Record<string, Record<string, { responses: object }>>
    components: { schemas: Record<string, object> }
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  expect(operations.flatMap(({ responses }) => inlineWith('id', responses))).toEqual([])
  for (const [, name = ''] of json.matchAll(/"#\/components\/schemas\/(\w+)"/g))
    expect(components.schemas).toHaveProperty(name)
})

test.each([
  ['web', '/api/chat', 'post', ['delta', 'done', 'error']],
  ['backend', '/api/logs/{agentId}/stream', 'get', ['line']],
  ['backend', '/api/ai/chat', 'post', ['message', 'error']],
  ['backend', '/v1/chat/completions', 'post', ['message', 'error']],
])('%s %s lists its stream events', async (surface, path, method, names) => {
  const { paths } = await documentOf(surface)
  const { responses } = (
    paths[path] as Record<string, { responses: Record<string, DocumentedResponse> }>
  )[method] ?? { responses: {} }
  const events = responses['200']?.content?.['text/event-stream']?.['x-events'] ?? {}
  expect(Object.keys(events)).toEqual(names)
  for (const { schema } of Object.values(events)) expect(schema).not.toEqual({})
})

test('a route lists its error codes, including the codes of every route of its kind', async () => {
  const { paths } = await documentOf('web')
  const { post } = paths['/api/chat'] as { post: { responses: Record<string, DocumentedResponse> } }
  expect(post.responses['409']?.['x-codes']).toEqual(
    expect.arrayContaining(['AGENT_NOT_RUNNING', 'IDEMPOTENCY_IN_PROGRESS']),
  )
  expect(post.responses['429']?.['x-codes']).toEqual([
    'QUOTA_EXCEEDED',
    'SPEND_CAP_REACHED',
    'TOO_MANY_OPEN',
  ])
  expect(post.responses['403']?.['x-codes']).toEqual(
    expect.arrayContaining(['CSRF', 'SCOPE_REQUIRED']),
  )
  const { operations, codes } = await shownBy('web')
  const chat = operations.find(({ id }) => id === 'chat.send')
  expect(chat?.refusals.find(({ status }) => status === '409')?.codes).toContain(
    'AGENT_NOT_RUNNING',
  )
  expect(codes['AGENT_NOT_RUNNING']).toBe('The agent is not running; start it first')
  for (const { refusals } of operations)
    for (const code of refusals.flatMap((one) => one.codes)) expect(codes).toHaveProperty(code)
})

/** Returns the data in a surface's page. */
async function shownBy(surface: string) {
  const page = await readFile(join(docsDir, `${surface}.html`), 'utf8')
  const [, data = ''] = /id="data">([^]*?)<\/script>/.exec(page) ?? []
  return JSON.parse(data) as Awaited<ReturnType<typeof referenceData>>
}

test('a page describes how each of its callers authenticates', async () => {
  const { schemes, operations } = await shownBy('backend')
  expect(Object.keys(schemes).sort()).toEqual(['agent', 'internal', 'key'])
  expect(schemes['internal']).toContain('INTERNAL_API_KEY as bearer')
  const list = operations.find(({ id }) => id === 'agents.list')
  expect(list?.parameters).toContainEqual(
    expect.objectContaining({ name: 'x-user-id', in: 'header' }),
  )
  expect(list?.refusals.map(({ status }) => status)).toContain('401')
  expect(list).not.toHaveProperty('call')
})

test.each([
  ['web', '/api/chat', 'post', ['Idempotency-Key']],
  ['backend', '/api/logs/{agentId}/stream', 'get', ['x-user-id', 'Last-Event-ID']],
  ['backend', '/api/gate', 'get', ['x-router-hold', 'x-forwarded-upgrade']],
  ['backend', '/v1/chat/completions', 'post', ['x-user-id', 'x-user-plan']],
])('%s %s lists its request headers', async (surface, path, method, names) => {
  const { paths } = await documentOf(surface)
  const { parameters } = (paths[path] as Record<string, { parameters: object[] }>)[method] ?? {}
  const headers = names.map((name) =>
    expect.objectContaining({ name, in: 'header', schema: { type: 'string' } }),
  )
  expect(parameters).toEqual(expect.arrayContaining(headers))
})

test.each(['web', 'backend'])('each paged list of %s documents its pagination', async (surface) => {
  interface List {
    parameters?: { name: string }[]
    responses: Record<string, { headers?: object; content: object }>
  }
  const { paths, components } = await documentOf(surface)
  const lists = Object.values(paths)
    .map((path) => (path as { get?: List }).get)
    .filter((get) => get?.parameters?.some(({ name }) => name === 'cursor'))
  expect(lists.length).toBeGreaterThan(1)
  for (const list of lists) {
    const success = JSON.stringify(list?.responses['200'])
    const [, named = ''] = /schemas\/(\w+)"/.exec(success) ?? []
    const whole = success + JSON.stringify(components.schemas[named])
    expect(whole).toMatch(/"(x-next-cursor|nextCursor|cursor)"/)
  }
})

test.each(surfaces)(
  'every documented path of %s is routed to it in the manifest',
  async (surface) => {
    const prefixes = functions.flatMap(({ trigger }) =>
      trigger.kind === 'http' && trigger.surface === surface ? trigger.prefixes : [],
    )
    const { paths } = await documentOf(surface)
    const unrouted = Object.keys(paths).filter(
      (path) => !prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
    )
    expect(unrouted).toEqual([])
  },
)

test.each(surfaces)(
  'the routes of %s match the committed document and break none of its clients',
  async (surface) => {
    const now = JSON.parse((await documentOf(surface)).json) as ApiDocument
    const kept = await readFile(join(root, 'docs/api', `${surface}.json`), 'utf8')
    const breaking = breakingChanges(JSON.parse(kept) as ApiDocument, now)
    expect(breaking, 'this breaks clients; if that is intended: npm run api -- --breaking').toEqual(
      [],
    )
    const isKept = writeDocument(now) === kept
    expect(isKept, 'the document is out of date; update it: npm run api').toBe(true)
  },
)

test('the client’s generated files match the web surface’s document', async () => {
  const { json } = await documentOf('web')
  for (const [name, text] of Object.entries(writeClient(JSON.parse(json) as ApiDocument))) {
    const kept = await readFile(join(root, 'clients/typescript/generated', name), 'utf8')
    expect(kept === text, `${name} is out of date; update it: npm run api`).toBe(true)
  }
})

test('documents are rewritten only if their sources changed', async () => {
  expect(written).toBe(true)
  expect(await build()).toBe(false)
  await writeFile(join(docsDir, '.key'), 'of other sources')
  expect(await build()).toBe(true)
})
