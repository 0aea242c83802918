import { capital } from './draft.ts'
import { getRouteOf, testStartOf } from './group-text.ts'
import { an, type Names } from './names.ts'

/** Returns the group with the routes of a job. */
export function groupOf(names: Names): string {
  const { path, noun, one, many, plural, single, type, code } = names
  return `import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { create${type} } from '#shared/${path}/create.ts'
import { get${type} } from '#shared/${path}/get.ts'
import { new${type}, ${single}Params, ${single}View } from '#shared/${path}/schema.ts'
import { userGroup } from '../common/user-group.ts'

type Services = Pick<Context, 'table'> & Sends<'${noun}'>

const route = routesWith<Services>()

const tag = '${many}'

export const routes = [
  route({
    name: '${plural}.create',
    method: 'POST',
    path: '/api/${noun}',
    summary: 'Create ${an(one)}',
    description: 'Get the ${one} for its state.',
    tag,
    guard: 'session',
    body: new${type},
    status: 202,
    response: ${single}View,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'conflict'],
    codes: ['${code}'],
    notAudited: 'changes no account, access or money; each ${one} is stored',
    handle: (ctx, { body }) => create${type}(ctx, body),
  }),

${getRouteOf(names)}]

export function wire(config: ConfigOf<'web-${noun}'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  return userGroup<Services>(config, (table) => (origin) => ({ table, queues: queuesFor(origin) }))
}
`
}

export function testOf(names: Names): string {
  const { path, one, many, plural, single, type, code } = names
  const work = `shared/${path}/work`
  const imports = `import { new${type} } from '#shared/${path}/schema.ts'
import { attempt${type} } from '#${work}/attempt.ts'
import { ${single}Rows } from '#${work}/rows.ts'
import type { ${capital(plural)}Message } from '#${work}/topic.ts'
import { bodyFor } from '#tests/support/http/body-for.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'`
  return `${testStartOf(names, imports)}
/** Returns a new user with the client of the routes, and the job that handles the sent messages. */
async function member() {
  const { id, session } = await on.member()
  const { waiting, queues } = recorded<${capital(plural)}Message>()
  const ctx = { table: on.table, queues }
  const { ${plural} } = platformOver(callerOf(group, ctx), { session })
  const work = async () => {
    for (const message of waiting) await attempt${type}(ctx, message)
  }
  return { id, session, ${plural}, work }
}

it('carries out the work of ${an(one)}, whose state its user gets', async () => {
  const { ${plural}, work } = await member()
  const created = await ${plural}.create(body)
  expect(created).toMatchObject({ state: 'queued' })
  expect(await ${plural}.get(created.id)).toEqual(created)
  await work()
  expect(await ${plural}.get(created.id)).toMatchObject({ ...created, state: 'finished' })
})

it('holds the limit of unfinished ${many} under concurrent requests', async () => {
  const { id: userId, ${plural}, work } = await member()
  const set = { [${single}Rows.count]: ${single}Limit - 1 }
  await on.table.update(userRows.key({ userId }), { set })
  const all = await Promise.allSettled(Array.from({ length: 3 }, () => ${plural}.create(body)))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const refusal = { status: 409, code: '${code}', details: { limit: ${single}Limit } }
  for (const each of all)
    if (each.status === 'rejected') expect(each.reason).toMatchObject(refusal)
  await work()
  await ${plural}.create(body)
  await expect(${plural}.create(body)).rejects.toMatchObject(refusal)
})

it('returns 404 for ${an(one)} of another user', async () => {
  const [ada, eve] = [await member(), await member()]
  const { id } = await ada.${plural}.create(body)
  await expect(eve.${plural}.get(id)).rejects.toMatchObject({ status: 404 })
})

it('deletes ${many} with the account, and then does no more work', async () => {
  const { id, session, ${plural}, work } = await member()
  await ${plural}.create(body)
  await on.routeOver()('POST', '/api/account/delete', { session, body: { password: 'correct horse' } })
  await on.carryOut(id)
  await work()
  const { items } = await userStore(on.table, id).query({ beginsWith: ${single}Rows.prefix() })
  expect(items).toEqual([])
})
`
}
