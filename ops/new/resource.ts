import { pageOfResource } from './docs.ts'
import { capital, type Draft } from './draft.ts'
import { listsOf } from './lists.ts'
import { an, type Names, namesOf } from './names.ts'
import { groupOf, testOf } from './resource-routes.ts'
import { inTable, prefixEdit } from './route.ts'

/** Rows that a user creates, lists, reads, changes and deletes, up to a limit. */
export function resource(words: readonly string[], root: string): Draft | undefined {
  const { names, others: [about = ''] = [] } = namesOf(root, words) ?? {}
  if (names === undefined || !/^[^'`]+$/.test(about)) return undefined
  const { path, noun, plural, many } = names
  const test = `functions/web/${noun}/${noun}.test.ts`
  return {
    files: {
      [`shared/${path}/schema.ts`]: schema(names),
      [`shared/${path}/rows.ts`]: rows(names),
      [`shared/${path}/create.ts`]: create(names),
      [`shared/${path}/get.ts`]: getOf(names, './rows.ts'),
      [`shared/${path}/list.ts`]: list(names),
      [`shared/${path}/update.ts`]: update(names),
      [`shared/${path}/delete.ts`]: remove(names),
      [`functions/web/${noun}.ts`]: groupOf(names),
      [test]: testOf(names),
      [`clients/typescript/resources/${noun}.ts`]: client(names, about),
      ...pageOfResource(names, about),
    },
    edits: {
      ...listsOf(names, { about, verbs: ['create', 'delete', 'get', 'list', 'update'] }),
      'functions/web/table.ts': inTable(noun),
      ...prefixEdit(root, 'functions/web/table.ts', [{ path: `/api/${noun}` }]),
    },
    generates: ['api', 'districts', 'table'],
    next: [
      'write the promise into docs/contract.md',
      `give ${many} their fields: shared/${path}/schema.ts, then npm run api -- --breaking (the documents have the first fields)`,
      `correct the sentences of docs/use/${noun}.md and the new line of CHANGELOG.md`,
      `to show them in the console: npm run new -- screen ${noun} "${capital(many)}" ${plural}.list menu`,
      `npm run verify && npx vitest run ${test} tests/table tests/docs clients`,
      'npm run build && npm run budgets -- console, because the reference page has grown',
      'npm run infra, because a function has a new prefix (4 to 10 minutes); npm run costs',
    ],
  }
}

function schema({ plural, single, type }: Names): string {
  return `import * as z from 'zod'
import { countOf, cursorText, requiredText } from '#shared/platform/fields.ts'

const name = () => requiredText('name', 100)

export const new${type} = z.object({ name: name() }).meta({ id: 'New${type}' })

export type New${type} = z.output<typeof new${type}>

/** The fields that a user can change. They have no default, because absent fields stay unchanged. */
export const ${single}Change = z
  .object({ name: name().optional() })
  .meta({ id: '${type}Change' })

export type ${type}Change = z.output<typeof ${single}Change>

/** Also the stored form: a field that is added after a release is optional, because stored rows lack it. */
export const ${single}View = z
  .object({ id: z.string(), name: z.string(), createdAt: z.string() })
  .meta({ id: '${type}' })

export type ${type} = z.output<typeof ${single}View>

export const ${single}Params = z.object({ id: z.string().min(1).max(64) })

export const ${single}Query = z.object({ limit: countOf('limit', 50, 200), cursor: cursorText() })

export const ${single}List = z.object({ ${plural}: z.array(${single}View) })

export const ${single}Deleted = z
  .object({ success: z.literal(true), id: z.string() })
  .meta({ id: '${type}Deleted' })
`
}

function rows({ one, single, id }: Names): string {
  return `import { entity } from '#shared/platform/table/entity.ts'
import { ${single}View } from './schema.ts'

/** ${capital(an(one))} of a user. */
export const ${single}Rows = entity({
  name: '${one}',
  id: '${id}',
  count: '${single}Count',
  pk: 'user#{userId}',
  sk: '${one.replaceAll(' ', '-')}#{id}',
  schema: () => ${single}View,
})
`
}

function create({ one, many, single, type, code, limit }: Names): string {
  return `import { userCounter } from '#shared/accounts/users/counter.ts'
import { limitReached } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { ${single}Rows } from './rows.ts'
import type { New${type}, ${type} } from './schema.ts'

/** The maximum number of ${many} of a user. */
export const ${single}Limit = ${limit}

/**
 * Creates ${an(one)} of the user.
 * @throws PlatformError 409 ${code}
 */
export async function create${type}(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  input: New${type},
): Promise<${type}> {
  const id = newId(${single}Rows.id)
  const ${single} = { id, ...input, createdAt: new Date().toISOString() }
  await insertCounted(userStore(table, owner), {
    put: ${single}Rows.put({ userId: owner, id }, ${single}),
    count: userCounter(owner, ${single}Rows, ${single}Limit),
    limitReached: ${single}LimitReached,
  })
  return ${single}
}

const ${single}LimitReached = () =>
  limitReached(
    '${code}',
    \`You have \${${single}Limit} ${many} already; delete one to create another\`,
    { limit: ${single}Limit },
  )
`
}

/** @param rows the module of the rows */
export function getOf({ one, single, type }: Names, rows: string): string {
  return `import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { ${single}Rows } from '${rows}'
import type { ${type} } from './schema.ts'

/**
 * Returns ${an(one)} of the user.
 * @throws PlatformError 404
 */
export async function get${type}(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  { id }: { id: string },
): Promise<${type}> {
  const ${single} = await ${single}Rows.find(table, { userId: owner, id })
  if (${single} === undefined) throw notFound('${capital(one)}')
  return ${single}
}
`
}

function list({ many, plural, single, type }: Names): string {
  return `import type { UserContext } from '#shared/platform/identity/context.ts'
import { type ListPage, newestPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { ${single}Rows } from './rows.ts'
import type { ${type} } from './schema.ts'

/** Returns a page of the user's ${many}, newest first. */
export async function list${capital(plural)}(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  { limit, cursor }: PageQuery,
): Promise<ListPage<${type}>> {
  const beginsWith = ${single}Rows.prefix()
  const { items, next } = await newestPage(userStore(table, owner), { beginsWith, limit, cursor })
  return { items: items.map(${single}Rows.parse), next }
}
`
}

function update({ one, single, type }: Names): string {
  return `import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { updateFields } from '#shared/platform/table/update-fields.ts'
import { ${single}Rows } from './rows.ts'
import type { ${type}, ${type}Change } from './schema.ts'

/**
 * Changes fields of ${an(one)} of the user. Absent fields stay unchanged.
 * @throws PlatformError 404
 */
export async function update${type}(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  { id, ...fields }: ${type}Change & { id: string },
): Promise<${type}> {
  const ${single} = await updateFields(table, ${single}Rows, { userId: owner, id }, fields)
  if (${single} === undefined) throw notFound('${capital(one)}')
  return ${single}
}
`
}

function remove({ one, single, type }: Names): string {
  return `import { userCount } from '#shared/accounts/users/counter.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { deleteCounted } from '#shared/platform/table/delete-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { ${single}Rows } from './rows.ts'

/**
 * Deletes ${an(one)} of the user.
 * @throws PlatformError 404
 */
export async function delete${type}(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  { id }: { id: string },
): Promise<void> {
  const isDeleted = await deleteCounted(userStore(table, owner), {
    delete: ${single}Rows.key({ userId: owner, id }),
    count: userCount(owner, ${single}Rows),
  })
  if (!isDeleted) throw notFound('${capital(one)}')
}
`
}

function client({ noun, one, many, plural }: Names, about: string): string {
  return `import { Resource } from './resource.ts'

/** ${capital(about)}. */
export class ${capital(plural)} extends Resource {
  /** Creates ${an(one)}. */
  create = this.opWithBody('POST /api/${noun}')

  /** Lists the caller’s ${many}, newest first. \`for await\` iterates over all pages. */
  list = this.listOf('GET /api/${noun}', '${plural}')

  /** Returns ${an(one)}. */
  get = this.op('GET /api/${noun}/{id}')

  /** Changes fields of ${an(one)}. Absent fields stay unchanged. */
  update = this.opWithBody('PATCH /api/${noun}/{id}')

  /** Deletes ${an(one)}. */
  delete = this.op('DELETE /api/${noun}/{id}')
}
`
}
