import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { GatewayProcess, Home } from '../testing/gateway.ts'
import { Upstream } from '../testing/upstream.ts'

let home: Home
let upstream: Upstream
let gateway: GatewayProcess

beforeAll(async () => {
  upstream = await Upstream.start()
})
beforeEach(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await home?.[Symbol.asyncDispose]()
  home = await Home.make()
  gateway = await GatewayProcess.start(home.environment(upstream.baseUrl))
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

function put(path: string, body: unknown): Promise<Response> {
  return gateway.fetch(path, { method: 'PUT', body: JSON.stringify(body) })
}

async function remove(path: string): Promise<number> {
  return (await gateway.fetch(path, { method: 'DELETE' })).status
}

async function notes(): Promise<unknown> {
  return ((await gateway.json('/memory')) as { memory: unknown }).memory
}

async function skills(): Promise<unknown[]> {
  return ((await gateway.json('/skills')) as { skills: unknown[] }).skills
}

async function prompt(): Promise<string | undefined> {
  await gateway.say('ann', 'hi')
  const [first] = upstream.lastCall.body.messages
  return first?.role === 'system' ? first.content : undefined
}

const recipe = '---\nname: Recipes\ndescription: Cooks\n---\nStart with an onion.'

test('installs, updates, toggles and removes a skill, and shows the result to the model', async () => {
  expect(await (await put('/skills/recipes', { document: recipe })).json()).toEqual({
    id: 'recipes',
    enabled: true,
  })
  expect(await prompt()).toContain('### Recipes\nStart with an onion.')

  await put('/skills/recipes', { document: recipe.replace('onion', 'egg') })
  expect(await prompt()).toContain('Start with an egg.')
  await put('/skills/recipes', { document: recipe, enabled: false })
  expect(await skills()).toEqual([
    { id: 'recipes', name: 'Recipes', description: 'Cooks', enabled: false },
  ])
  expect(await prompt()).toBeUndefined()

  await mkdir(join(home.workspace, 'skills', 'recipes', 'images'))
  await writeFile(join(home.workspace, 'skills', 'recipes', 'images', 'leek.svg'), '<svg/>')
  expect(await remove('/skills/recipes')).toBe(200)
  expect(await readdir(join(home.workspace, 'skills'))).toEqual([])
  expect(await remove('/skills/recipes')).toBe(404)
  expect(await skills()).toEqual([])
})

test.each([
  ['a missing document', '/skills/recipes', {}],
  ['a document that is not a string', '/skills/recipes', { document: {} }],
  ['a document that is too long', '/skills/recipes', { document: 'a'.repeat(64_001) }],
  ['an invalid switch', '/skills/recipes', { document: recipe, enabled: 'yes' }],
  ['a path as id', '/skills/..%2f..%2fescaped', { document: recipe }],
  ['a hidden id', '/skills/.git', { document: recipe }],
  ['a negative revision', '/skills/recipes?revision=-1', { document: recipe }],
  ['an invalid revision of a note', '/memory/a?revision=x', { memory: 'b' }],
])('rejects %s and changes nothing', async (_, path, body) => {
  expect((await put(path, body)).status).toBe(400)
  expect(await skills()).toEqual([])
  expect(await notes()).toEqual({})
})

test('ignores a change with an older revision', async () => {
  await put('/memory/name?revision=2', { memory: 'new' })
  expect((await put('/memory/name?revision=1', { memory: 'old' })).status).toBe(200)
  expect(await remove('/memory/name?revision=1')).toBe(200)
  expect(await notes()).toEqual({ name: 'new' })
  await put('/memory/name?revision=2', { memory: 'new again' })
  await put('/memory/other?revision=1', { memory: 'is another' })
  expect(await notes()).toEqual({ name: 'new again', other: 'is another' })

  await put('/skills/recipes?revision=3', { document: recipe })
  expect(await remove('/skills/recipes?revision=2')).toBe(200)
  expect(await skills()).toHaveLength(1)
  expect(await remove('/skills/recipes?revision=4')).toBe(200)
  await put('/skills/recipes?revision=3', { document: recipe })
  expect(await skills()).toEqual([])
})

test('clears everything once per revision, and nothing newer', async () => {
  await put('/memory/old?revision=1', { memory: 'old' })
  await gateway.say('ann', 'hi')
  expect(await gateway.json('/memory?revision=2', { method: 'DELETE' })).toMatchObject({
    removed: 1,
  })
  expect(await gateway.json('/sessions?revision=2', { method: 'DELETE' })).toMatchObject({
    removed: 1,
  })
  await put('/memory/old?revision=1', { memory: 'old' })
  expect(await notes()).toEqual({})

  await put('/memory/new?revision=3', { memory: 'new' })
  await gateway.say('ben', 'hi')
  await remove('/memory?revision=2')
  await remove('/sessions?revision=2')
  expect(await notes()).toEqual({ new: 'new' })
  expect(await gateway.json('/sessions')).toMatchObject({ count: 1 })

  await remove('/memory')
  await remove('/sessions')
  expect(await notes()).toEqual({})
  expect(await gateway.json('/sessions')).toMatchObject({ count: 0, sessions: [] })
})

test('keeps the last of many concurrent changes', async () => {
  const revisions = Array.from({ length: 20 }, (_, i) => i + 1)
  const shuffled = revisions.toSorted((a, b) => ((a * 7) % 20) - ((b * 7) % 20))
  await Promise.all(shuffled.map((r) => put(`/memory/n?revision=${r}`, { memory: `${r}` })))
  expect(await notes()).toEqual({ n: '20' })
})
