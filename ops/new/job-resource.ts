/** A job that users request by a route, and whose state another route returns. */
import { capital, type Draft } from './draft.ts'
import { filesOf, linesOf } from './job-files.ts'
import { groupOf, testOf } from './job-routes.ts'
import { listsOf } from './lists.ts'
import { an, type Names, namesOf } from './names.ts'
import { getOf } from './resource.ts'
import { functionFor } from './route.ts'

export function jobResource(words: readonly string[], root: string): Draft | undefined {
  const { names, others: [about = ''] = [] } = namesOf(root, words) ?? {}
  if (names === undefined || !/^[^'`]+$/.test(about)) return undefined
  const { path, noun, one, many } = names
  const test = `functions/web/${noun}/${noun}.test.ts`
  return {
    files: {
      ...filesOf(path, noun, one),
      [`shared/${path}/schema.ts`]: schema(names),
      [`shared/${path}/work/rows.ts`]: rows(names),
      [`shared/${path}/create.ts`]: create(names),
      [`shared/${path}/get.ts`]: getOf(names, './work/rows.ts'),
      [`shared/${path}/work/attempt.ts`]: attempt(names),
      [`shared/${path}/work/attempt.test.ts`]: attemptTest(names),
      [`functions/web/${noun}.ts`]: groupOf(names),
      [test]: testOf(names),
      [`clients/typescript/resources/${noun}.ts`]: client(names, about),
    },
    edits: {
      ...linesOf(noun),
      ...listsOf(names, { about, verbs: ['create', 'get'], rowsIn: `${path}/work` }),
      'shared/manifest/functions/web.ts': functionFor(noun, [`{ send: '${noun}' }`]),
    },
    generates: ['api', 'districts', 'table'],
    next: [
      'write the promise into docs/contract.md',
      `give ${many} their fields: shared/${path}/schema.ts, then npm run api -- --breaking (the documents have the first fields)`,
      `carry out the work in shared/${path}/work/attempt.ts, which continues from the writes of an interrupted attempt: AGENTS.md, "A job", 5. Its test kills processes`,
      'describe them in docs/use, and add a line to CHANGELOG.md',
      `npm run verify && npx vitest run ${test} shared/${path} tests/table tests/docs clients`,
      'npm run build && npm run budgets -- console, because the reference page has grown',
      'npm run infra -- -u, because there are new functions (4 to 10 minutes); npm run costs',
    ],
  }
}

function schema({ single, type }: Names): string {
  return `import * as z from 'zod'
import { requiredText } from '#shared/platform/fields.ts'

export const new${type} = z
  .object({ name: requiredText('name', 100) })
  .meta({ id: 'New${type}' })

export type New${type} = z.output<typeof new${type}>

/** Also the stored form: a field that is added after a release is optional, because stored rows lack it. */
export const ${single}View = z
  .object({
    id: z.string(),
    name: z.string(),
    state: z.enum(['queued', 'finished', 'failed']),
    createdAt: z.string(),
  })
  .meta({ id: '${type}' })

export type ${type} = z.output<typeof ${single}View>

export const ${single}Params = z.object({ id: z.string().min(1).max(64) })
`
}

function rows({ noun, one, many, single, id }: Names): string {
  return `import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'
import { ${single}View } from '../schema.ts'

export const ${single}Due = dueIndex('${noun}', 4)

/** ${capital(an(one))} of a user, in the index until its work is finished. The user's row counts unfinished ${many}. */
export const ${single}Rows = entity({
  name: '${one}',
  id: '${id}',
  count: '${single}Count',
  pk: 'user#{userId}',
  sk: '${one.replaceAll(' ', '-')}#{id}',
  gsi1: { pk: '${noun}#{shard}', sk: '{due}#{id}' },
  schema: () => ${single}View.extend({ userId: z.string(), attempts: z.number() }),
})
`
}

function create({ noun, one, many, plural, single, type, code, limit }: Names): string {
  return `import { userCounter } from '#shared/accounts/users/counter.ts'
import { limitReached } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import type { New${type}, ${type} } from './schema.ts'
import { ${single}Due, ${single}Rows } from './work/rows.ts'
import { ${plural} } from './work/topic.ts'

/** The maximum number of unfinished ${many} of a user. */
export const ${single}Limit = ${limit}

const daysStored = 30

/**
 * Requests the work of ${an(one)}. The same seed creates the same ${one}.
 * @throws PlatformError 409 ${code}
 */
export async function create${type}(
  { table, owner, seed, queues }: Pick<UserContext, 'owner' | 'seed' | 'table'> & Sends<'${noun}'>,
  input: New${type},
): Promise<${type}> {
  const id = newId(${single}Rows.id, seed)
  const now = Date.now()
  const ${single} = { id, ...input, state: 'queued' as const, createdAt: isoOf(now) }
  const existing = await insertCounted(userStore(table, owner), {
    put: ${single}Rows.put(
      { userId: owner, id },
      { ...${single}, userId: owner, attempts: 0 },
      // If the message is lost, the tick sends it again.
      { ...${single}Due.at(id, now + 30_000), expiresAt: epochSeconds(now) + daysStored * 86_400 },
    ),
    count: userCounter(owner, ${single}Rows, ${single}Limit),
    limitReached: ${single}LimitReached,
  })
  // A retry sends the same message, which is claimed once.
  await queues.send(${plural}, { userId: owner, id, attempt: 1 })
  return existing === undefined ? ${single} : ${single}Rows.parse(existing)
}

const ${single}LimitReached = () =>
  limitReached(
    '${code}',
    \`You have \${${single}Limit} unfinished ${many} already; wait until one is finished\`,
    { limit: ${single}Limit },
  )
`
}

function attempt({ noun, many, plural, single, type }: Names): string {
  return `import type * as z from 'zod'
import { userCount } from '#shared/accounts/users/counter.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { decrement } from '#shared/platform/table/delete-counted.ts'
import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { ${single}Work } from './items.ts'
import { ${single}Rows } from './rows.ts'
import type { ${capital(plural)}Message } from './topic.ts'

type Works = Pick<Context, 'table'> & Sends<'${noun}'>
type Work = z.output<ReturnType<typeof ${single}Rows.declared.schema>>

/** The number of attempts after which the work has failed. */
const mostAttempts = 10

/** Carries out one attempt. If its process is killed, the tick requests the next one. */
export async function attempt${type}(ctx: Works, message: ${capital(plural)}Message): Promise<void> {
  const row = await ${single}Rows.find(ctx.table, message)
  const work = row && (await ${single}Work.claim(ctx, row, { message }))
  if (work === undefined) return
  await unlessLeaseLost(carryOut(ctx, work))
}

async function carryOut(ctx: Works, work: Work): Promise<void> {
  // Replace this line by the work.
  const isDone = work.attempts > 1
  if (isDone) await end(ctx, work, { state: 'finished' })
  else if (work.attempts >= mostAttempts) await end(ctx, work, { state: 'failed' })
  else await ${single}Work.later(ctx, work, 5)
}

/**
 * Finishes the work with its state and result, and decrements the count of unfinished ${many} in the same transaction. A write that is the effect
 * of the work is a further part of it.
 */
async function end({ table }: Works, work: Work, set: Pick<Work, 'state'> & Partial<Work>): Promise<void> {
  const count = decrement(userCount(work.userId, ${single}Rows))
  const refusals = await ${single}Work.finish({ table }, work, { set }, { count })
  // The account was deleted in the meantime, together with its count.
  if (refusals !== undefined) await ${single}Work.finish({ table }, work, { set })
}
`
}

function attemptTest({ many, plural, single, type }: Names): string {
  return `import { afterAll, beforeAll, expect, it } from 'vitest'
import { userRows } from '#shared/accounts/users/rows.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { bodyFor } from '#tests/support/http/body-for.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { create${type} } from '../create.ts'
import { type New${type}, new${type} } from '../schema.ts'
import { attempt${type} } from './attempt.ts'
import { ${single}Work } from './items.ts'
import { ${single}Rows } from './rows.ts'
import type { ${capital(plural)}Message } from './topic.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const body = new${type}.parse(bodyFor(new${type})) satisfies New${type}

it.each([0, 1, 2])('is finished and counted once if a process is killed after %i calls', async (calls) => {
  const { waiting, queues } = recorded<${capital(plural)}Message>()
  const { table } = database
  const ctx = { table, queues }
  const owner = \`usr_\${calls}\`
  await table.put({ ...userRows.key({ userId: owner }), id: owner })
  const { id } = await create${type}({ ...ctx, owner, seed: newSeed() }, body)
  const message = waiting.pop()!
  const { reach } = killedProcess({ calls })
  const dying = { table: reach(table), queues: reach(queues) }
  await expect(attempt${type}(dying, message)).rejects.toThrow(Killed)
  await ${single}Work.tick(ctx, Date.now() + 3_600_000)
  for (const received of waiting) {
    await attempt${type}(ctx, received)
    await attempt${type}(ctx, received)
  }
  expect(await ${single}Rows.find(table, { userId: owner, id })).toMatchObject({ state: 'finished' })
  const user = await table.get(userRows.key({ userId: owner }))
  expect(user?.[${single}Rows.count], 'the count of unfinished ${many}').toBe(0)
})
`
}

function client({ noun, one, plural }: Names, about: string): string {
  return `import { Resource } from './resource.ts'

/** ${capital(about)}. */
export class ${capital(plural)} extends Resource {
  /** Requests ${an(one)}. Poll its state with \`get\`. */
  create = this.onceWithBody('POST /api/${noun}')

  /** Returns ${an(one)} with its state. */
  get = this.op('GET /api/${noun}/{id}')
}
`
}
