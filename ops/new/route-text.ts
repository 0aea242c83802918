import { capital } from './draft.ts'
import { singular } from './names.ts'

export interface RouteWords {
  surface: 'web' | 'backend'
  group: string
  method: string
  path: string
  /** `<resource>.<verb>`. */
  name: string
  /** The tag of similar paths; undefined if no path is similar. */
  tag: string | undefined
  /** The modules of the names that the nouns of an existing group export. */
  exported?: ReadonlyMap<string, string>
}

export const hasBody = ({ method }: RouteWords) => /^(POST|PUT|PATCH)$/.test(method)

export const isPaged = ({ method, name }: RouteWords) => method === 'GET' && name.endsWith('.list')

export const creates = ({ method, name }: RouteWords) =>
  method === 'POST' && name.endsWith('.create')

const isOfAgents = ({ surface, path }: RouteWords) =>
  surface === 'web' && /^\/api\/agents(\/|$)/.test(path)

const isOfOneAgent = (path: string) => `${path}/`.startsWith('/api/agents/:id/')

/** Returns the field of a page that has its items: `labels` of `agents.labels.list`. */
export function listed({ name }: RouteWords): string {
  return name.split('.').at(-2) ?? ''
}

export function newGroup(routes: readonly RouteWords[]): string {
  const limits = routes.every(isOfAgents) ? '{ limits: [agentsLimit] }' : ''
  const start = `import * as z from 'zod'
import { routesWith } from '#shared/http/route.ts'
import type { Context } from '#shared/platform/identity/context.ts'

export type Services = Pick<Context, 'table'>

const route = routesWith<Services>(${limits})

export const routes = [
]
`
  return routes.reduce(withRoute, start)
}

/** Adds a route at the end of a group, with its imports and its schema. */
export function withRoute(text: string, words: RouteWords): string {
  const { path, name } = words
  const isLimited = /routesWith<[^]*?\(\{ limits: \[agentsLimit\]/.test(text)
  const limits = isOfAgents(words) && !isLimited
  const returned = returnedBy(words)
  const declared = `const ${returned} = z.object({ id: z.string() }).meta({ id: '${capital(returned)}' })\n\n`
  const isDeclared =
    words.exported?.has(returned) === true || new RegExp(`\\bconst ${returned} =`).test(text)
  const tag = words.tag ?? /\btag: '([^']+)'/.exec(text)?.[1] ?? words.group.replaceAll('-', ' ')
  const hasTag = /^const tag = /m.test(text)
  const hasReason = /^const notAudited = /m.test(text)
  const imports: [names: string[], module: string][] = [
    [isPaged(words) ? ['Paged'] : [], '#shared/http/paged.ts'],
    [isPaged(words) ? ['countOf', 'cursorText'] : [], '#shared/platform/fields.ts'],
    [isOfAgents(words) ? ['agentsLimit'] : [], './agents/limit.ts'],
    [isOfOneAgent(path) ? ['agentParams'] : [], '#shared/agents/record/schema.ts'],
  ]
  const withSchema =
    isDeclared || name.endsWith('.delete')
      ? text
      : text.replace('export const routes', () => `${declared}export const routes`)
  const end = withSchema.indexOf('\n]', withSchema.indexOf('export const routes'))
  if (end === -1) throw new Error(`the group ${words.group} has no list of routes`)
  const added = routeText(words, {
    tag: hasTag ? 'tag' : `tag: '${tag}'`,
    notAudited: hasReason ? 'notAudited' : "notAudited: 'changes no account, access or money'",
    limits,
  }).replaceAll(/^/gm, '  ')
  const gap = withSchema.slice(0, end).endsWith('[') ? '\n' : '\n\n'
  const withLine = withSchema.slice(0, end) + gap + added + withSchema.slice(end)
  const needsZod = /\bz\./.test(withLine) && !/from 'zod'/.test(withLine)
  const withZod = needsZod ? `import * as z from 'zod'\n${withLine}` : withLine
  const used = [...(words.exported ?? [])].filter(([each]) =>
    new RegExp(`\\b${each}\\b`).test(added),
  )
  const all = [...imports, ...used.map(([each, module]) => [[each], module] as [string[], string])]
  return all.reduce((result, each) => importing(result, ...each), withZod)
}

function importing(text: string, names: readonly string[], module: string): string {
  const imported = text.slice(0, text.indexOf('export const routes'))
  const missing = names.filter(
    (each) => !new RegExp(`^import [^;]*?\\b${each}\\b[^;]*? from '${module}'`, 'm').test(imported),
  )
  if (missing.length === 0) return text
  const last = new RegExp(`,?\\s*\\} from '${module}'`)
  return last.test(imported)
    ? text.replace(last, `, ${missing.join(', ')} } from '${module}'`)
    : `import { ${missing.join(', ')} } from '${module}'\n${text}`
}

/**
 * Returns the name of the schema of a route's response: the one of its noun if the draft can return a row, otherwise one
 * of its own.
 */
function returnedBy(words: RouteWords): string {
  const schema = schemaOf(words)
  const view = `${lower(schema)}View`
  if (words.exported?.has(view) !== true) return lower(schema)
  return getOf(words) === undefined ? `${lower(schema)}${verbOf(words)}Result` : view
}

/** Returns the verb of the noun that returns the row of a route's path. */
function getOf(words: RouteWords): string | undefined {
  const schema = schemaOf(words)
  const get = `get${schema}`
  const names = [get, `${lower(schema)}Params`]
  const isOfOne = /^[^:]*:id\b[^:]*$/.test(words.path)
  return isOfOne && names.every((each) => words.exported?.has(each)) ? get : undefined
}

function verbOf({ name }: RouteWords): string {
  return capital(name.split('.').at(-1) ?? '')
}

/** Returns for example `AgentLabel` for `agents.labels.create`. */
function schemaOf({ name }: RouteWords): string {
  return name.split('.').slice(0, -1).map(singular).map(capital).join('')
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}

interface Shared {
  tag: string
  notAudited: string
  limits: boolean
}

function routeText(words: RouteWords, { tag, notAudited, limits }: Shared): string {
  const { surface, method, path, name } = words
  const params = [...path.matchAll(/:(\w+)/g)].map(([, each = '']) => each)
  const errors = [
    ...(hasBody(words) || isPaged(words) ? ['bad-request'] : []),
    'unauthorized',
    ...(surface === 'backend' ? ['forbidden'] : []),
    ...(params.length > 0 ? ['not-found'] : []),
    ...(isOfAgents(words) ? ['too-many-requests'] : []),
  ]
  const lines = [
    `name: '${name}'`,
    `method: '${method}'`,
    `path: '${path}'`,
    `summary: '${summaryOf(name)}'`,
    ...(isPaged(words) ? ["description: 'Newest first.'"] : []),
    tag,
    `guard: '${surface === 'web' ? 'session' : 'internal'}'`,
    ...(limits ? ['limits: [agentsLimit]'] : []),
    ...(params.length > 0 ? [`params: ${paramsText(words, params)}`] : []),
    ...answerLines(words),
    `errors: [${errors.map((each) => `'${each}'`).join(', ')}]`,
    ...(method === 'GET' ? [] : [notAudited]),
    `handle: ${handleText(words, params)}`,
  ]
  return `route({\n${lines.map((line) => `  ${line},\n`).join('')}}),`
}

function paramsText(words: RouteWords, params: readonly string[]): string {
  const { path } = words
  if (getOf(words) !== undefined) return `${lower(schemaOf(words))}Params`
  const isOfAgent = isOfOneAgent(path)
  const fields = params
    .slice(isOfAgent ? 1 : 0)
    .map((each) => `${each}: z.string()`)
    .join(', ')
  if (!isOfAgent) return `z.object({ ${fields} })`
  return fields === '' ? 'agentParams' : `agentParams.extend({ ${fields} })`
}

/** Returns the lines about the query, the body and the response. */
function answerLines(words: RouteWords): string[] {
  const schema = schemaOf(words)
  const verb = words.name.split('.').at(-1) ?? ''
  const returned = returnedBy(words)
  if (isPaged(words))
    return [
      "query: z.object({ limit: countOf('limit', 50, 200), cursor: cursorText() })",
      `response: z.object({ ${listed(words)}: z.array(${returned}) }).meta({ id: '${schema}List' })`,
      'pages: true',
    ]
  if (verb === 'delete')
    return [`response: z.object({ deleted: z.literal(true) }).meta({ id: 'Deleted${schema}' })`]
  const changes = verb === 'update' ? 'Change' : capital(verb)
  const body = creates(words) ? `New${schema}` : `${schema}${changes}`
  return [
    ...(hasBody(words)
      ? [`body: z.object({ name: z.string().max(100) }).meta({ id: '${body}' })`]
      : []),
    ...(creates(words) ? ['status: 201'] : []),
    `response: ${returned}`,
  ]
}

function handleText(words: RouteWords, params: readonly string[]): string {
  if (isPaged(words)) return `() => new Paged({ ${listed(words)}: [] }, undefined)`
  if (words.name.endsWith('.delete')) return '() => ({ deleted: true as const })'
  const get = getOf(words)
  if (get !== undefined) return `(ctx, { params }) => ${get}(ctx, params)`
  return params.length > 0
    ? `(_ctx, { params }) => ({ id: params.${params[0]} })`
    : "() => ({ id: 'one' })"
}

/** Returns for example `Create a label` for `agents.labels.create`. */
function summaryOf(name: string): string {
  const [resource = '', verb = ''] = name.split('.').slice(-2)
  const things = resource.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const one = singular(things)
  return `${capital(verb)} ${verb === 'list' ? things : `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`}`
}
