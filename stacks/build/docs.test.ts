import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root, temporaryDir } from '../local/testing/harness.ts'
import { functions } from '../manifest/index.ts'
import { buildDocuments } from './docs.ts'

const surfaces = ['web', 'backend', 'summarizer'] as const

let dir: Awaited<ReturnType<typeof temporaryDir>>
let docsDir: string
let functionsDir: string
let written: boolean

const build = () => buildDocuments({ functions, root, docsDir, functionsDir })

beforeAll(async () => {
  dir = await temporaryDir()
  docsDir = join(dir.path, 'docs')
  functionsDir = join(dir.path, 'functions')
  for (const { name } of functions) await mkdir(join(functionsDir, name), { recursive: true })
  await writeFile(join(functionsDir, '.build.json'), 'as bundled')
  written = await build()
})
afterAll(() => dir[Symbol.asyncDispose]())

async function documentOf(surface: string) {
  const json = await readFile(join(docsDir, `${surface}.json`), 'utf8')
  return { json, ...(JSON.parse(json) as { openapi: string; paths: Record<string, object> }) }
}

test.each(surfaces)(
  '%s has a document and a page, which its system function serves',
  async (surface) => {
    const { json, openapi, paths } = await documentOf(surface)
    expect(openapi).toBe('3.1.0')
    expect(paths).toHaveProperty(['/openapi.json', 'get'])
    const page = await readFile(join(docsDir, `${surface}.html`), 'utf8')
    for (const path of Object.keys(paths)) expect(page).toContain(path)
    expect(page).not.toMatch(/(?:src|href)="https?:/)
    const folder = join(functionsDir, `${surface}-system`)
    expect(await readFile(join(folder, 'openapi.json'), 'utf8')).toBe(json)
    expect(await readFile(join(folder, 'docs.html'), 'utf8')).toBe(page)
  },
)

test('a page says how each of its callers authenticates, and every refusal in a line', async () => {
  const page = await readFile(join(docsDir, 'backend.html'), 'utf8')
  for (const words of ['INTERNAL_API_KEY as bearer', 'x-user-id', '(sk_…) as bearer'])
    expect(page).toContain(words)
  expect(page).not.toContain('service-session')
  expect(page).toMatch(/Refused or failed: [\d, ]*401, /)
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${id}"`)
})

test.each([
  ['web', '/api/chat', 'post', ['Idempotency-Key']],
  ['backend', '/api/logs/{agentId}/stream', 'get', ['x-user-id', 'Last-Event-ID']],
  ['backend', '/api/gate', 'get', ['x-router-hold', 'x-forwarded-upgrade']],
  ['backend', '/v1/chat/completions', 'post', ['x-user-id', 'x-user-plan']],
])('%s %s says which headers it reads', async (surface, path, method, names) => {
  const { paths } = await documentOf(surface)
  const { parameters } = (paths[path] as Record<string, { parameters: object[] }>)[method] ?? {}
  const headers = names.map((name) =>
    expect.objectContaining({ name, in: 'header', schema: { type: 'string' } }),
  )
  expect(parameters).toEqual(expect.arrayContaining(headers))
})

test.each(surfaces)(
  'every documented path of %s is one that the manifest routes to it',
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

test('documents are written again only when a function was bundled anew', async () => {
  expect(written).toBe(true)
  expect(await build()).toBe(false)
  await appendFile(join(functionsDir, '.build.json'), ', and again')
  expect(await build()).toBe(true)
})
