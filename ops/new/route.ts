import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addItem, addLine, camel, capital, chained, type Draft, type Edit, kebab } from './draft.ts'
import { testOf } from './route-test.ts'
import { hasBody, isPaged, listed, newGroup, type RouteWords, withRoute } from './route-text.ts'

const methods = /^(GET|POST|PATCH|PUT|DELETE)$/
const names = /^[a-z][a-zA-Z]*(\.[a-z][a-zA-Z]*)+$/

/**
 * @param words the surface, the group, then method, path and name of each route
 * @param root the repository, which may have the group already
 */
export function route(
  [surface, group = '', ...words]: readonly string[],
  root: string,
): Draft | undefined {
  if (surface !== 'web' && surface !== 'backend') return undefined
  if (!kebab.test(group) || words.length === 0 || words.length % 3 !== 0) return undefined
  const exported = exportedTo(root, `functions/${surface}/${group}.ts`)
  const routes = Array.from({ length: words.length / 3 }, (_, i): RouteWords => {
    const [method = '', path = '', name = ''] = words.slice(3 * i)
    return { surface, group, method, path, name, tag: tagOf(root, surface, path), exported }
  })
  const isRight = ({ method, path, name }: RouteWords) =>
    methods.test(method) && names.test(name) && path.startsWith('/')
  return routes.every(isRight) ? draftOf(root, routes) : undefined
}

function draftOf(root: string, routes: readonly RouteWords[]): Draft {
  const [{ surface, group, name } = {} as RouteWords] = routes
  const file = `functions/${surface}/${group}.ts`
  const isNew = !existsSync(join(root, file))
  const current = isNew ? '' : readFileSync(join(root, file), 'utf8')
  const needsOnlyTable = isNew || current.includes("Services = Pick<Context, 'table'>\n")
  const folder = `functions/${surface}/${group}`
  const isTested =
    existsSync(join(root, folder)) &&
    readdirSync(join(root, folder)).some((each) => each.endsWith('.test.ts'))
  const resource = name.split('.').at(-2) ?? ''
  const test = `${folder}/${resource.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`
  const isDrafted = needsOnlyTable && !isTested
  const prefixes = prefixEdit(root, entryOf(root, surface, group), routes)
  const methodsOfClient = surface === 'web' ? clientEdits(root, routes) : {}
  const hasMethods = Object.keys(methodsOfClient).length > 0
  const untagged = routes.some(({ tag }) => tag === undefined)
  return {
    files: {
      ...(isNew && { [file]: newGroup(routes) }),
      ...(isDrafted && { [test]: testOf(routes) }),
    },
    edits: {
      ...(isNew
        ? { [`functions/${surface}/table.ts`]: inTable(group) }
        : { [file]: (text) => routes.reduce(withRoute, text) }),
      ...(isNew &&
        untagged && { 'shared/http/openapi/tags.ts': newTag(group.replaceAll('-', ' ')) }),
      ...prefixes,
      ...methodsOfClient,
    },
    ...(hasMethods && { generates: ['api'] }),
    next: [
      'write the promise into docs/contract.md',
      `complete ${file}: each route calls a verb (npm run new -- verb) with the schemas of its noun`,
      ...(isNew && untagged
        ? [
            'describe the tag in shared/http/openapi/tags.ts; if keys may call the routes, name it in console/screens/connect/scope-words.ts and tests/docs/scopes.test.ts',
          ]
        : []),
      ...(isNew
        ? [
            `if it needs more than the table: a function of its own, AGENTS.md, "A route"; otherwise it is one of functions/${surface}/table.ts`,
          ]
        : []),
      'for a new error code: a line of shared/http/openapi/codes.ts, and `codes` of the route',
      'npm run api, before any code uses the new operations of the client',
      ...(surface === 'web' && !hasMethods
        ? [
            `add methods to clients/typescript/resources/, and a new class to clients/typescript/platform.ts:\n${routes.map(clientLine).join('\n')}`,
            `add ${routes.map((each) => `'${each.name}'`).join(', ')} to \`byApi\` of clients/cli/by-api.ts, or commands to clients/cli/commands/`,
          ]
        : []),
      isDrafted
        ? `test it in ${test}: npx vitest run ${test}`
        : `test it in ${folder}/, as the tests there do`,
      'npx vitest run tests/docs/scopes.test.ts; npm run build && npx vitest run tests/e2e/every-route.test.ts tests/e2e/row-level-security.test.ts',
      ...(Object.keys(prefixes).length > 0
        ? ['npm run infra, because a function has a new prefix (4 to 10 minutes)']
        : []),
      'npm run verify && npm run costs',
      'add a line to CHANGELOG.md, and describe it in docs/use',
    ],
  }
}

/** Returns the exported names of all modules that a group imports, with their modules. */
function exportedTo(root: string, file: string): ReadonlyMap<string, string> {
  if (!existsSync(join(root, file))) return new Map()
  const imports = readFileSync(join(root, file), 'utf8').matchAll(/from '#(shared\/[^']+\.ts)'/g)
  return new Map(
    [...imports].flatMap(([, path = '']) => {
      const names = readFileSync(join(root, path), 'utf8').matchAll(
        /^export (?:const|(?:async )?function) (\w+)/gm,
      )
      return [...names].map(([, name = '']): [string, string] => [name, `#${path}`])
    }),
  )
}

/** Returns the edits that add methods to a class of the client, if all routes belong to one. */
function clientEdits(root: string, routes: readonly RouteWords[]): Record<string, Edit> {
  const [resource = ''] = routes[0]?.name.split('.') ?? []
  const isOne = routes.every(({ name }) => new RegExp(`^${resource}\\.\\w+$`).test(name))
  const file = resource.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const path = `clients/typescript/resources/${file}.ts`
  if (!isOne || !existsSync(join(root, path))) return {}
  const start = `export class ${capital(resource)} extends Resource {`
  if (!readFileSync(join(root, path), 'utf8').includes(start)) return {}
  const added = routes.map((each) => clientLine(each).trim().replaceAll(/^/gm, '\n'))
  return {
    [path]: chained(...added.map((line) => addLine([start], line, 'last'))),
    'clients/cli/by-api.ts': chained(
      ...routes.map(({ name }) =>
        addLine(["'is set up once, by one body"], `'${name}',`, 'sorted'),
      ),
    ),
  }
}

/** Returns the tag of most routes that share the longest beginning with a path, of at least two segments. */
function tagOf(root: string, surface: string, path: string): string | undefined {
  const text = readFileSync(join(root, `docs/api/${surface}.json`), 'utf8')
  const { paths } = JSON.parse(text) as {
    paths: Record<string, Record<string, { tags: string[] }>>
  }
  const own = segmentsOf(path)
  const known = Object.entries(paths).map(([other, operations]) => {
    const segments = segmentsOf(other)
    const end = own.findIndex((segment, i) => segment !== segments[i])
    const tags = Object.values(operations).flatMap((each) => each.tags)
    return { shared: end === -1 ? own.length : end, tags }
  })
  const longest = Math.max(...known.map(({ shared }) => shared))
  if (longest < 2) return undefined
  const tags = known.flatMap((each) => (each.shared === longest ? each.tags : []))
  const numberOf = (tag: string) => tags.filter((each) => each === tag).length
  return tags.toSorted((a, b) => numberOf(b) - numberOf(a))[0]
}

function segmentsOf(path: string): string[] {
  return path
    .slice(1)
    .replaceAll(/:\w+|\{\w+\}/g, '{}')
    .split('/')
}

/** Returns the module of the function that serves a group. */
function entryOf(root: string, surface: string, group: string): string {
  const own = `functions/${surface}/${group}.ts`
  return manifests(root).some(([, text]) => text.includes(`entry: '${own}'`))
    ? own
    : `functions/${surface}/table.ts`
}

function manifests(root: string): [path: string, text: string][] {
  return globSync('shared/manifest/functions/*.ts', { cwd: root }).map((path) => [
    path,
    readFileSync(join(root, path), 'utf8'),
  ])
}

/** Returns the edit that adds the prefixes that a function lacks for its new routes; none if it has them. */
export function prefixEdit(
  root: string,
  entry: string,
  routes: readonly Pick<RouteWords, 'path'>[],
): Record<string, Edit> {
  const list = new RegExp(`(entry: '${entry}',[^]{0,200}?prefixes: \\[)([^\\]]*)\\]`)
  const [path, text] = manifests(root).find((each) => list.test(each[1])) ?? []
  if (path === undefined || text === undefined) return {}
  const known = [...(list.exec(text)?.[2] ?? '').matchAll(/'([^']+)'/g)].map(([, one = '']) => one)
  const added: string[] = []
  for (const route of routes) {
    const wanted = route.path.replace(/(\/:\w+)+$/, '').replaceAll(/:(\w+)/g, '{$1}')
    const isCovered = [...known, ...added].some((one) => `${wanted}/`.startsWith(`${one}/`))
    if (!isCovered) added.push(wanted)
  }
  if (added.length === 0) return {}
  const lines = added.map((one) => `'${one}'`).join(', ')
  return {
    [path]: (before) =>
      before.replace(
        list,
        (_, start: string, items: string) =>
          `${start}${items.trimEnd().replace(/,?$/, ',')} ${lines}]`,
      ),
  }
}

export function inTable(group: string): Edit {
  const name = camel(group)
  return chained(
    (text) =>
      text.replace(/^import /m, `import { routes as ${name} } from './${group}.ts'\nimport `),
    addItem('export const routes: readonly Route<Services>[] = [', `...${name},`),
  )
}

/** Returns the edit that adds a function of its own for a group. @param grants in addition to the table */
export function functionFor(group: string, grants: readonly string[]): Edit {
  const entry = `{
  name: 'web-${group}',
  entry: 'functions/web/${group}.ts',
  trigger: { kind: 'http', surface: 'web', prefixes: ['/api/${group}'] },
  memoryMb: 512,
  timeoutSeconds: 10,
  grants: [{ table: 'write' }, ${grants.join(', ')}],
  settings: ['ADMIN_EMAILS', 'WEB_URL'],
  secrets: ['ORIGIN_SECRET'],
  budget: 'standard',
},`
  return addLine(['export const web = ['], entry, 'last')
}

/** Returns an edit that adds a tag, unless it exists. */
export function newTag(tag: string, about = capital(tag)): Edit {
  const name = /^[a-z]+$/.test(tag) ? tag : `'${tag}'`
  return (text) =>
    new RegExp(`^ {2}'?${tag}'?:`, 'm').test(text)
      ? text
      : addLine(['export const tags = {'], `${name}: '${about}',`, 'sorted')(text)
}

function clientLine(words: RouteWords): string {
  const { method, path, name } = words
  const operation = `'${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}'`
  const verb = name.split('.').at(-1)
  if (isPaged(words)) return `   ${verb} = this.listOf(${operation}, '${listed(words)}')`
  return `   ${verb} = this.${hasBody(words) ? 'opWithBody' : 'op'}(${operation})`
}
