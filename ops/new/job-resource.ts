import { pageOfJob } from './docs.ts'
/** A job that users request by a route, and whose state another route returns. */
import { capital, type Draft } from './draft.ts'
import { attemptOf, attemptTestOf } from './job-attempt.ts'
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
  const attempted = { queue: noun, one, counted: many }
  const test = `functions/web/${noun}/${noun}.test.ts`
  const work = `shared/${path}/work`
  return {
    files: {
      ...filesOf(path, noun, one),
      [`shared/${path}/schema.ts`]: schema(names),
      [`${work}/rows.ts`]: rows(names),
      [`shared/${path}/create.ts`]: create(names),
      [`shared/${path}/get.ts`]: getOf(names, './work/rows.ts'),
      [`${work}/attempt.ts`]: attemptOf(attempted),
      [`${work}/attempt.test.ts`]: attemptTestOf(attempted),
      [`functions/web/${noun}.ts`]: groupOf(names),
      [test]: testOf(names),
      [`clients/typescript/resources/${noun}.ts`]: client(names, about),
      ...pageOfJob(names, about),
    },
    edits: {
      ...linesOf(noun),
      ...listsOf(names, {
        about,
        verbs: ['create', 'get'],
        rowsIn: `${path}/work`,
        limited: `unfinished ${many}`,
      }),
      'shared/manifest/functions/web.ts': functionFor(noun, [`{ send: '${noun}' }`]),
    },
    generates: ['api', 'districts', 'table'],
    next: [
      'write the promise into docs/contract.md',
      `give ${many} their fields: shared/${path}/schema.ts, then npm run api -- --breaking (the documents have the first fields)`,
      `carry out the work in ${work}/attempt.ts, which continues from the writes of an interrupted attempt: AGENTS.md, "A job", 5. Its test kills processes`,
      `correct the sentences of docs/use/${noun}.md and the new line of CHANGELOG.md`,
      `npm run verify && npx vitest run ${test} shared/${path} tests/table tests/docs clients`,
      'npm run build && npm run budgets -- console, because the reference page has grown',
      'npm run infra -- -u, because there are new functions (4 to 10 minutes); npm run costs',
    ],
  }
}

function schema({ single, type }: Names): string {
  return `import * as z from 'zod'
import { requiredText } from '#shared/platform/fields.ts'

/** The body of the request. The work reads it from the row as \`input\`. */
export const new${type} = z
  .object({ name: requiredText('name', 100) })
  .meta({ id: 'New${type}' })

export type New${type} = z.output<typeof new${type}>

/**
 * The fields that its user gets, such as the result of the work, which is absent until it is finished. They are stored
 * too: a field that is added after a release is optional, because stored rows lack it.
 */
export const ${single}View = z
  .object({
    id: z.string(),
    state: z.enum(['queued', 'finished', 'failed']),
    createdAt: z.string(),
  })
  .meta({ id: '${type}' })

export type ${type} = z.output<typeof ${single}View>

export const ${single}Params = z.object({ id: z.string().min(1).max(64) })
`
}

function rows({ noun, one, many, single, type, id }: Names): string {
  return `import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'
import { new${type}, ${single}View } from '../schema.ts'

export const ${single}Due = dueIndex('${noun}', 4)

/** ${capital(an(one))} of a user, in the index until its work is finished. The user's row counts unfinished ${many}. */
export const ${single}Rows = entity({
  name: '${one}',
  id: '${id}',
  count: '${single}Count',
  pk: 'user#{userId}',
  sk: '${one.replaceAll(' ', '-')}#{id}',
  gsi1: { pk: '${noun}#{shard}', sk: '{due}#{id}' },
  // Fields that only the work reads belong here; fields that its user gets, in the view.
  schema: () =>
    ${single}View.extend({ userId: z.string(), input: new${type}, attempts: z.number() }),
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
  const ${single} = { id, state: 'queued' as const, createdAt: isoOf(now) }
  const existing = await insertCounted(userStore(table, owner), {
    put: ${single}Rows.put(
      { userId: owner, id },
      { ...${single}, userId: owner, input, attempts: 0 },
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
