import { capital } from './draft.ts'
import { getRouteOf, testStartOf } from './group-text.ts'
import { an, type Names } from './names.ts'

/** Returns the group with the routes of a resource. */
export function groupOf(names: Names): string {
  const { path, noun, one, many, plural, single, type, code } = names
  const lists = capital(plural)
  return `import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { create${type} } from '#shared/${path}/create.ts'
import { delete${type} } from '#shared/${path}/delete.ts'
import { get${type} } from '#shared/${path}/get.ts'
import { list${lists} } from '#shared/${path}/list.ts'
import {
  new${type},
  ${single}Change,
  ${single}Deleted,
  ${single}List,
  ${single}Params,
  ${single}Query,
  ${single}View,
} from '#shared/${path}/schema.ts'
import { update${type} } from '#shared/${path}/update.ts'

const route = routesWith<Pick<Context, 'table'>>()

const tag = '${many}'
const notAudited = 'changes no account, access or money'

export const routes = [
  route({
    name: '${plural}.create',
    method: 'POST',
    path: '/api/${noun}',
    summary: 'Create ${an(one)}',
    tag,
    guard: 'session',
    body: new${type},
    status: 201,
    response: ${single}View,
    errors: ['bad-request', 'unauthorized', 'conflict'],
    codes: ['${code}'],
    notAudited,
    handle: (ctx, { body }) => create${type}(ctx, body),
  }),

  route({
    name: '${plural}.list',
    method: 'GET',
    path: '/api/${noun}',
    summary: 'List ${many}',
    description: 'Newest first.',
    tag,
    guard: 'session',
    query: ${single}Query,
    response: ${single}List,
    pages: true,
    errors: ['bad-request', 'unauthorized'],
    handle: async (ctx, { query }) => {
      const { items, next } = await list${lists}(ctx, query)
      return new Paged({ ${plural}: items }, next)
    },
  }),

${getRouteOf(names)}
  route({
    name: '${plural}.update',
    method: 'PATCH',
    path: '/api/${noun}/:id',
    summary: 'Update ${an(one)}',
    description: 'Absent fields stay unchanged.',
    tag,
    guard: 'session',
    params: ${single}Params,
    body: ${single}Change,
    response: ${single}View,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    notAudited,
    handle: (ctx, { params, body }) => update${type}(ctx, { ...body, ...params }),
  }),

  route({
    name: '${plural}.delete',
    method: 'DELETE',
    path: '/api/${noun}/:id',
    summary: 'Delete ${an(one)}',
    tag,
    guard: 'session',
    params: ${single}Params,
    response: ${single}Deleted,
    errors: ['unauthorized', 'not-found'],
    notAudited,
    handle: async (ctx, { params }) => {
      await delete${type}(ctx, params)
      return { success: true as const, id: params.id }
    },
  }),
]
`
}

export function testOf(names: Names): string {
  const { path, one, many, plural, single, type, code } = names
  const imports = `import { ${single}Rows } from '#shared/${path}/rows.ts'
import { new${type}, ${single}Change } from '#shared/${path}/schema.ts'
import { bodyFor, changeFor } from '#tests/support/http/body-for.ts'`
  return `${testStartOf(names, imports)}
/** Returns a new user with the client of the routes. */
async function member() {
  const { id, session } = await on.member()
  const { ${plural} } = platformOver(callerOf(group, { table: on.table }), { session })
  return { id, session, ${plural} }
}

it('creates, returns, lists in pages and deletes ${many}', async () => {
  const { ${plural} } = await member()
  const created = await Promise.all(Array.from({ length: 3 }, () => ${plural}.create(body)))
  const [first, second, third] = created.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  expect(await ${plural}.get(first!.id)).toEqual(first)
  const listed = []
  for await (const each of ${plural}.list({ limit: 2 })) listed.push(each)
  expect(listed).toEqual([first, second, third])
  await ${plural}.delete(first!.id)
  await expect(${plural}.get(first!.id)).rejects.toMatchObject({ status: 404 })
  expect(await ${plural}.list()).toEqual([second, third])
})

it('changes each field alone, and without a field nothing', async () => {
  const { ${plural} } = await member()
  const expected = await ${plural}.create(body)
  const change = changeFor(${single}Change, expected)
  for (const [field, value] of Object.entries(change)) {
    Object.assign(expected, { [field]: value })
    expect(await ${plural}.update(expected.id, { [field]: value })).toEqual(expected)
  }
  expect(await ${plural}.update(expected.id, {})).toEqual(expected)
  expect(await ${plural}.get(expected.id)).toEqual(expected)
  for (const each of [change, {}])
    await expect(${plural}.update('unknown', each)).rejects.toMatchObject({ status: 404 })
})

it('holds the limit under concurrent requests, and makes room by a delete', async () => {
  const { id: userId, ${plural} } = await member()
  const set = { [${single}Rows.count]: ${single}Limit - 1 }
  await on.table.update(userRows.key({ userId }), { set })
  const all = await Promise.allSettled(Array.from({ length: 3 }, () => ${plural}.create(body)))
  const created = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(created).toHaveLength(1)
  const refusal = { status: 409, code: '${code}', details: { limit: ${single}Limit } }
  for (const each of all)
    if (each.status === 'rejected') expect(each.reason).toMatchObject(refusal)
  const { id } = created[0]!
  const deleted = await Promise.allSettled([${plural}.delete(id), ${plural}.delete(id)])
  expect(deleted.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await ${plural}.create(body)
  await expect(${plural}.create(body)).rejects.toMatchObject(refusal)
})

it('returns 404 for ${an(one)} of another user', async () => {
  const [ada, eve] = [await member(), await member()]
  const ${single} = await ada.${plural}.create(body)
  const missing = { status: 404 }
  await expect(eve.${plural}.get(${single}.id)).rejects.toMatchObject(missing)
  const change = changeFor(${single}Change, ${single})
  await expect(eve.${plural}.update(${single}.id, change)).rejects.toMatchObject(missing)
  await expect(eve.${plural}.delete(${single}.id)).rejects.toMatchObject(missing)
  expect(await ada.${plural}.list()).toEqual([${single}])
})

it('deletes ${many} with the account', async () => {
  const { id, session, ${plural} } = await member()
  await ${plural}.create(body)
  await on.routeOver()('POST', '/api/account/delete', { session, body: { password: 'correct horse' } })
  await on.carryOut(id)
  const { items } = await userStore(on.table, id).query({ beginsWith: ${single}Rows.prefix() })
  expect(items).toEqual([])
})
`
}
