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
  const schema = schemaOf(words)
  const declared = `const ${lower(schema)} = z.object({ id: z.string() }).meta({ id: '${schema}' })\n\n`
  const isDeclared = new RegExp(`\\b${lower(schema)}\\b`).test(text)
  const tag = words.tag ?? /\btag: '([^']+)'/.exec(text)?.[1] ?? words.group.replaceAll('-', ' ')
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
  const added = routeText(words, { tag, limits }).replaceAll(/^/gm, '  ')
  const gap = withSchema.slice(0, end).endsWith('[') ? '\n' : '\n\n'
  const withLine = withSchema.slice(0, end) + gap + added + withSchema.slice(end)
  const withZod = /from 'zod'/.test(withLine) ? withLine : `import * as z from 'zod'\n${withLine}`
  return imports.reduce((result, each) => importing(result, ...each), withZod)
}

function importing(text: string, names: readonly string[], module: string): string {
  const imported = text.slice(0, text.indexOf('export const routes'))
  const missing = names.filter(
    (each) => !new RegExp(`^import [^;]*?\\b${each}\\b[^;]*? from '${module}'`, 'm').test(imported),
  )
  return missing.length === 0 ? text : `import { ${missing.join(', ')} } from '${module}'\n${text}`
}

/** Returns for example `AgentLabel` for `agents.labels.create`. */
function schemaOf({ name }: RouteWords): string {
  return name.split('.').slice(0, -1).map(singular).map(capital).join('')
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}

function routeText(words: RouteWords, { tag, limits }: { tag: string; limits: boolean }): string {
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
    `tag: '${tag}'`,
    `guard: '${surface === 'web' ? 'session' : 'internal'}'`,
    ...(limits ? ['limits: [agentsLimit]'] : []),
    ...(params.length > 0 ? [`params: ${paramsText(words, params)}`] : []),
    ...answerLines(words),
    `errors: [${errors.map((each) => `'${each}'`).join(', ')}]`,
    ...(method === 'GET' ? [] : ["notAudited: 'changes no account, access or money'"]),
    `handle: ${handleText(words, params)}`,
  ]
  return `route({\n${lines.map((line) => `  ${line},\n`).join('')}}),`
}

function paramsText({ path }: RouteWords, params: readonly string[]): string {
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
  if (isPaged(words))
    return [
      "query: z.object({ limit: countOf('limit', 50, 200), cursor: cursorText() })",
      `response: z.object({ ${listed(words)}: z.array(${lower(schema)}) }).meta({ id: '${schema}List' })`,
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
    `response: ${lower(schema)}`,
  ]
}

function handleText(words: RouteWords, params: readonly string[]): string {
  if (isPaged(words)) return `() => new Paged({ ${listed(words)}: [] }, undefined)`
  if (words.name.endsWith('.delete')) return '() => ({ deleted: true as const })'
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
