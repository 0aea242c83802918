import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonSchema } from '#stacks/build/client/type-of.ts'
import { sampleOf, type Schemas } from '#stacks/build/reference/sample.ts'
import { addLine, chained, type Edit } from './draft.ts'

/** A list of the client that a screen shows. */
export interface ShownList {
  /** The resource of the client: `bookmarks`. */
  resource: string
  path: string
  /** True if the operation has a query. */
  takesQuery: boolean
  /** The field of an item that the screen shows. */
  field: string
  /** A body that creates an item; undefined if the resource has no `create`. */
  body: unknown
}

interface Operation {
  operationId: string
  parameters?: { in: string }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Schemas }
}

const json = 'application/json'

/** @param name `<resource>.list` @throws Error if the client has no such list without path parameters */
export function shownList(root: string, name: string): ShownList {
  const file = join(root, 'docs/api/web.json')
  const { paths, components } = JSON.parse(readFileSync(file, 'utf8')) as Document
  const { schemas } = components
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  )
  const found = (id: string) => all.find(({ operation }) => operation.operationId === id)
  const [resource = '', verb, ...more] = name.split('.')
  const { path = '{', operation } = found(name) ?? {}
  const answer = operation?.responses['200']?.content?.[json]?.schema
  const [list] = Object.values(Object(sampleOf(answer ?? {}, schemas, { whole: true })) as object)
  if (verb !== 'list' || more.length > 0 || path.includes('{') || !Array.isArray(list))
    throw new Error(`the client has no list ${name} without path parameters`)
  const [item] = list as [object]
  const body = found(`${resource}.create`)?.operation.requestBody?.content[json]?.schema
  return {
    resource,
    path,
    takesQuery: operation?.parameters?.some((each) => each.in === 'query') ?? false,
    field: ['name', 'title'].find((each) => each in item) ?? 'id',
    body: body && sampleOf(body, schemas),
  }
}

/** Returns the edit that adds a resource to the client of the console; none if it has the resource. */
export function consoleResource(root: string, resource: string): Record<string, Edit> {
  const own = 'console/base/platform.ts'
  const line = new RegExp(`readonly ${resource} = new (\\w+)\\(this\\.client\\)`)
  const client = readFileSync(join(root, 'clients/typescript/platform.ts'), 'utf8')
  const [added = '', type = ''] = line.exec(client) ?? []
  const module = new RegExp(
    `import \\{[^}]*\\b${type}\\b[^}]*\\} from '\\./(resources/[\\w-]+\\.ts)'`,
  )
  const [, path = ''] = module.exec(client) ?? []
  if (type === '' || path === '') throw new Error(`the client has no resource ${resource}`)
  if (line.test(readFileSync(join(root, own), 'utf8'))) return {}
  const from = `} from '../../clients/typescript/${path}'`
  return {
    [own]: chained(
      (text) =>
        text.includes(from)
          ? text.replace(from, `, ${type} ${from}`)
          : text.replace(/^import /m, `import { ${type} ${from}\nimport `),
      addLine(['class Platform extends Resource {'], added, 'sorted'),
    ),
  }
}
