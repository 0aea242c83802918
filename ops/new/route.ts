import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addLine, camel, capital, type Draft, type Edit, kebab } from './draft.ts'

interface RouteWords {
  surface: 'web' | 'backend'
  group: string
  method: string
  path: string
  /** `<resource>.<verb>`. */
  name: string
}

const methods = /^(GET|POST|PATCH|PUT|DELETE)$/
const names = /^[a-z][a-zA-Z]*(\.[a-z][a-zA-Z]*)+$/

/** @param root the repository, which may have the group already */
export function route(
  [surface, group = '', method = '', path = '', name = '']: readonly string[],
  root: string,
): Draft | undefined {
  if (surface !== 'web' && surface !== 'backend') return undefined
  if (!kebab.test(group) || !methods.test(method) || !names.test(name)) return undefined
  if (!path.startsWith('/')) return undefined
  const words = { surface, group, method, path, name } as const
  const file = `functions/${surface}/${group}.ts`
  const isNew = !existsSync(join(root, file))
  const current = isNew ? '' : readFileSync(join(root, file), 'utf8')
  const needsOnlyTable = isNew || current.includes("Services = Pick<Context, 'table'>\n")
  const test = `functions/${surface}/${group}/${testName(root, words)}.test.ts`
  return {
    files: {
      ...(isNew && { [file]: newGroup(words) }),
      ...(needsOnlyTable && { [test]: testOf(words) }),
    },
    edits: isNew ? newGroupEdits(words) : { [file]: inGroup(words) },
    next: [
      'write the promise into docs/contract.md',
      `complete the route in ${file}: it calls a verb (npm run new -- verb) with the schemas of its noun`,
      ...(isNew
        ? [
            'describe the tag in shared/http/openapi/tags.ts; if keys may call the route, name it in console/screens/connect/scope-words.ts and tests/docs/scopes.test.ts',
            `if it needs more than the table: a function of its own, AGENTS.md, "A route"; otherwise it is one of functions/${surface}/table.ts`,
          ]
        : [
            'if its path begins with none of the prefixes of its function: add the prefix in shared/manifest/functions/',
          ]),
      'for a new error code: a line of shared/http/openapi/codes.ts, and `codes` of the route',
      'npm run api, before any code uses the new operation of the client',
      ...(surface === 'web'
        ? [
            `add a method to clients/typescript/resources/, and a new class to clients/typescript/platform.ts:\n${clientLine(words)}`,
            `add '${name}' to \`byApi\` of clients/cli/reach.test.ts, or a command to clients/cli/commands/`,
          ]
        : []),
      needsOnlyTable
        ? `test it in ${test}: npx vitest run ${test}`
        : `test it in ${test}, as the tests beside it do`,
      'npx vitest run tests/e2e/every-route.test.ts && npm run costs',
      'add a line to CHANGELOG.md, and describe it in docs/use',
    ],
  }
}

/** Returns the name of the test file: the verb, with its resource if the group has a test of that name. */
function testName(root: string, { surface, group, name }: RouteWords): string {
  const verb = name.split('.').at(-1) ?? ''
  const isTaken = existsSync(join(root, `functions/${surface}/${group}/${verb}.test.ts`))
  return isTaken ? name.replaceAll('.', '-') : verb
}

function tagOf(group: string): string {
  return group.replaceAll('-', ' ')
}

function newGroup(words: RouteWords): string {
  return `import * as z from 'zod'
import { routesWith } from '#shared/http/route.ts'
import type { Context } from '#shared/platform/identity/context.ts'

export type Services = Pick<Context, 'table'>

const route = routesWith<Services>()

export const routes = [
${routeText(words, tagOf(words.group)).replaceAll(/^/gm, '  ')}
]
`
}

function newGroupEdits({ surface, group, path }: RouteWords): Record<string, Edit> {
  const tag = tagOf(group)
  const name = camel(group)
  const constant = path.replace(/(\/:\w+)+$/, '').replaceAll(/:(\w+)/g, '{$1}')
  return {
    [`functions/${surface}/table.ts`]: (text) =>
      text
        .replace(/^import /m, `import { routes as ${name} } from './${group}.ts'\nimport `)
        .replace(/(export const routes[^=]*= \[)([^\]]*)\]/, `$1$2, ...${name}]`),
    'shared/manifest/functions/table.ts': addLine(
      [`name: '${surface}-table'`, 'prefixes: ['],
      `'${constant}',`,
      'last',
    ),
    'shared/http/openapi/tags.ts': (text) =>
      new RegExp(`^ {2}'?${tag}'?:`, 'm').test(text)
        ? text
        : addLine(
            ['export const tags = {'],
            `${/^[a-z]+$/.test(tag) ? tag : `'${tag}'`}: '${capital(tag)}',`,
            'sorted',
          )(text),
  }
}

/** Adds a route at the end of a group, with the tag of the route whose path has the longest common beginning. */
function inGroup(words: RouteWords): Edit {
  return (text) => {
    const known = [...text.matchAll(/\bpath: '([^']+)'[^]*?\btag: '([^']+)'/g)]
    const shared = ([, path = '']: RegExpMatchArray) => commonLength(path, words.path)
    const tag = known.toSorted((a, b) => shared(b) - shared(a))[0]?.[2] ?? tagOf(words.group)
    const added = addLine(['export const routes'], `\n${routeText(words, tag)}`, 'last')(text)
    return /from 'zod'/.test(added) ? added : `import * as z from 'zod'\n${added}`
  }
}

function commonLength(a: string, b: string): number {
  const end = [...a].findIndex((letter, i) => letter !== b[i])
  return end === -1 ? a.length : end
}

const hasBody = ({ method }: RouteWords) => /^(POST|PUT|PATCH)$/.test(method)

function paramsOf({ path }: RouteWords): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
}

function routeText(words: RouteWords, tag: string): string {
  const { surface, method, path, name } = words
  const params = paramsOf(words)
  const schema = name.split('.').map(capital).join('')
  const errors = [
    ...(hasBody(words) ? ['bad-request'] : []),
    'unauthorized',
    ...(surface === 'backend' ? ['forbidden'] : []),
    ...(params.length > 0 ? ['not-found'] : []),
  ]
  const input =
    params.length > 0
      ? `(_ctx, { params }) => ({ id: params.${params[0]} })`
      : '(ctx) => ({ id: ctx.requestId })'
  const lines = [
    `name: '${name}'`,
    `method: '${method}'`,
    `path: '${path}'`,
    `summary: '${summaryOf(name)}'`,
    `tag: '${tag}'`,
    `guard: '${surface === 'web' ? 'session' : 'internal'}'`,
    ...(params.length > 0
      ? [`params: z.object({ ${params.map((each) => `${each}: z.string()`).join(', ')} })`]
      : []),
    ...(hasBody(words)
      ? [`body: z.object({ name: z.string().max(100) }).meta({ id: '${schema}Body' })`]
      : []),
    `response: z.object({ id: z.string() }).meta({ id: '${schema}' })`,
    `errors: [${errors.map((each) => `'${each}'`).join(', ')}]`,
    ...(method === 'GET' ? [] : ["notAudited: 'changes no account, access or money'"]),
    `handle: ${input}`,
  ]
  return `route({\n${lines.map((line) => `  ${line},\n`).join('')}}),`
}

/** Returns for example `Create a label` for `agents.labels.create`. */
function summaryOf(name: string): string {
  const [resource = '', verb = ''] = name.split('.').slice(-2)
  const things = resource.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const one = things.replace(/s$/, '')
  return `${capital(verb)} ${verb === 'list' ? things : `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`}`
}

function clientLine(words: RouteWords): string {
  const { method, path, name } = words
  const operation = `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
  const verb = name.split('.').at(-1)
  return `   ${verb} = this.${hasBody(words) ? 'opWithBody' : 'op'}('${operation}')`
}

function testOf(words: RouteWords): string {
  const { surface, group, method, path } = words
  const params = paramsOf(words)
  const called = path.replaceAll(/:\w+/g, 'one')
  const id = params.length > 0 ? "{ id: 'one' }" : '{ id: expect.stringMatching(/^req_/) }'
  const body = hasBody(words) ? "body: { name: 'one' }" : ''
  return surface === 'web'
    ? `import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import * as group from '../${group}.ts'

let keys: Keys
beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())

it('answers a signed-in user, and no one else', async () => {
  const { session } = await keys.signUp('ada@b.co')
  const call = callerOf(group, { table: keys.table })
  const answer = await call('${method}', '${called}', { session${body && `, ${body}`} })
  expect([answer.status, await answer.json()]).toEqual([200, ${id}])
  expect((await call('${method}', '${called}'${body && `, { ${body} }`})).status).toBe(401)
})
`
    : `import { afterAll, beforeAll, expect, it } from 'vitest'
import { internalCallerOf } from '#tests/support/http/internal-caller.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import * as group from '../${group}.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it('answers a caller with the platform’s key, and no one else', async () => {
  const call = internalCallerOf(group, { table: database.table })
  expect(await call('${method}', '${called}'${body && `, { ${body} }`})).toEqual([200, ${id}])
  const [status] = await call('${method}', '${called}', { bearer: null${body && `, ${body}`} })
  expect(status).toBe(401)
})
`
}
