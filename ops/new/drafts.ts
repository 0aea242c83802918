/** The files that begin a piece of the code, and the steps that remain. */
export interface Draft {
  /** Texts by path. */
  files: Record<string, string>
  noun?: { district: string; noun: string; about: string }
  next: readonly string[]
}

export const usage = `usage:
  npm run new -- noun <district>/<noun> "<its line in the district's README>"
  npm run new -- row <district>/<noun> <name>
  npm run new -- job <district>/<noun> <queue>
  npm run new -- route <web|backend> <group> <GET|POST|PATCH|PUT|DELETE> <path>`

const place = /^([a-z-]+)\/([a-z-]+)$/

/** Each returns undefined for words that it cannot use. */
export const drafts = {
  noun([path = '', about = '']: readonly string[]): Draft | undefined {
    const [, district, noun] = place.exec(path) ?? []
    if (district === undefined || noun === undefined || about === '') return undefined
    return {
      files: { [`shared/${path}/${noun}.ts`]: verb(noun) },
      noun: { district, noun, about },
      next: [
        `name the function in shared/${path}/${noun}.ts after its action, and the file after the function`,
        'move the noun up in shared/districts.json if another noun of the district imports it',
        'npx vitest run tests/docs/districts -u',
      ],
    }
  },

  row([path = '', name = '']: readonly string[]): Draft | undefined {
    if (!place.test(path) || !/^[a-z]+[a-zA-Z]*$/.test(name)) return undefined
    return {
      files: { [`shared/${path}/rows.ts`]: row(name) },
      next: [
        'give the row its keys, its schema and the prefix of its ids',
        'npx vitest run tests/table -u',
        'add a line to tests/table/traffic.ts',
        'decide whether restore points, archives and duplicates contain it: AGENTS.md, "A row", names the files',
        'if it belongs to an agent: a DeletionHook in functions/jobs/provisioning/on-deleted.ts',
        'npx vitest run tests/table tests/releases',
      ],
    }
  },

  job([path = '', queue = '']: readonly string[]): Draft | undefined {
    if (!place.test(path) || !/^[a-z-]+$/.test(queue)) return undefined
    return {
      files: {
        [`shared/${path}/work/rows.ts`]: workRow(queue),
        [`shared/${path}/work/topic.ts`]: topic(queue),
        [`shared/${path}/work/items.ts`]: items(queue),
        [`shared/${path}/work/attempt.ts`]: attempt(queue),
        [`functions/jobs/${queue}.ts`]: job(path, queue),
        [`functions/scheduled/${queue}-due.ts`]: schedule(path, queue),
      },
      next: [
        `add the job and its tick to shared/manifest/functions/background.ts:\n${entries(queue)}`,
        `complete shared/${path}/work/rows.ts: it is the row of the request. If the noun has an entity for it, add \`gsi1\` and \`attempts\` there instead; work of no user has \`pk: '${queue}#{id}'\``,
        `carry out the work in shared/${path}/work/attempt.ts; it must continue from the writes of an interrupted attempt, and give up after a number of attempts: \`finish\` with a failed state`,
        `create the row in the transaction that requests the work, then send the message:\n${request(queue)}`,
        'grant `send` to the functions that send the message',
        `add the queue to functions/common/watched-queues.ts`,
        'test it late, twice, out of order and with lost messages: the whole job as functions/jobs/settlements.test.ts does, leases and the tick as shared/platform/work/items.test.ts does',
        'if it belongs to an agent: a DeletionHook in functions/jobs/provisioning/on-deleted.ts',
        'npx vitest run tests/table -u, and a line in tests/table/traffic.ts',
        'npm run infra -- -u && npm run costs',
      ],
    }
  },

  route([surface = '', group = '', method = '', path = '']: readonly string[]): Draft | undefined {
    const isMethod = /^(GET|POST|PATCH|PUT|DELETE)$/.test(method)
    if (!/^(web|backend)$/.test(surface) || !/^[a-z-]+$/.test(group) || !isMethod) return undefined
    if (!path.startsWith('/')) return undefined
    return {
      files: {},
      next: [
        'write the promise into docs/contract.md',
        `add to the routes of functions/${surface}/${group}.ts:\n${route(group, method, path)}`,
        `if functions/${surface}/${group}.ts is new: \`Services\` and \`wire\` in it, as in functions/web/restore-points.ts, and an entry with the trigger { kind: 'http', surface: '${surface}', prefixes: […] } in shared/manifest/functions/`,
        'npm run api, before any code uses the new operation of the client',
        ...(surface === 'web'
          ? [
              'add a method to clients/typescript/resources/',
              'add a command to clients/cli/commands/, or a reason to clients/cli/reach.test.ts',
            ]
          : []),
        `test it in functions/${surface}/${group}/: npx vitest run functions/${surface}/${group}`,
        'npx vitest run tests/e2e/every-route.test.ts && npm run costs',
        'add a line to CHANGELOG.md, and describe it in docs/use',
      ],
    }
  },
}

export function isKind(word: string): word is keyof typeof drafts {
  return word in drafts
}

function camel(words: string): string {
  return words.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function verb(noun: string): string {
  const name = camel(noun)
  return `import type { UserContext } from '#shared/platform/identity/context.ts'

/** @throws PlatformError */
export async function ${name}(
  ctx: Pick<UserContext, 'owner' | 'table'>,
  input: { id: string },
): Promise<string> {
  return \`\${ctx.owner} \${input.id}\`
}
`
}

function row(name: string): string {
  return `import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

export const ${name}Rows = entity({
  name: '${name}',
  pk: 'user#{userId}',
  sk: '${name}#{${name}Id}',
  schema: () => z.object({ createdAt: z.string() }),
})
`
}

function workRow(queue: string): string {
  const name = camel(queue)
  return `import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

export const ${name}Due = dueIndex('${queue}', 4)

/** In the index until the work is finished. */
export const ${name}Rows = entity({
  name: '${queue}',
  pk: 'user#{userId}',
  sk: '${queue}#{id}',
  gsi1: { pk: '${queue}#{shard}', sk: '{due}#{id}' },
  schema: () => z.object({ id: z.string(), userId: z.string(), attempts: z.number() }),
})
`
}

function topic(queue: string): string {
  const name = camel(queue)
  return `import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

export const ${name} = topic('${queue}', () =>
  z.object({ userId: z.string(), id: z.string(), attempt: z.number() }),
)

export type ${capital(name)}Message = MessageOf<typeof ${name}>
`
}

function items(queue: string): string {
  const name = camel(queue)
  return `import type * as z from 'zod'
import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { ${name}Due, ${name}Rows } from './rows.ts'
import { ${name} } from './topic.ts'

type Work = z.output<ReturnType<typeof ${name}Rows.declared.schema>>

export const ${name}Work = workItems({
  rows: ${name}Rows,
  key: ({ userId, id }: Work) => ${name}Rows.key({ userId, id }),
  id: ({ id }) => id,
  due: ${name}Due,
  fence: counter('attempts', ({ attempts }: Work) => attempts),
  topic: ${name},
  message: ({ userId, id, attempts }) => ({ userId, id, attempt: attempts + 1 }),
  // Longer than an attempt takes.
  leaseMs: 30_000,
  lostMs: 30_000,
})
`
}

function attempt(queue: string): string {
  const name = camel(queue)
  return `import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { ${name}Work } from './items.ts'
import { ${name}Rows } from './rows.ts'
import type { ${capital(name)}Message } from './topic.ts'

/** Carries out one attempt. If its process is killed, the tick requests the next one. */
export async function attempt${capital(name)}(
  ctx: Pick<Context, 'table'> & Sends<'${queue}'>,
  message: ${capital(name)}Message,
): Promise<void> {
  const row = await ${name}Rows.find(ctx.table, message)
  const work = row && (await ${name}Work.claim(ctx, row, { message }))
  if (work === undefined) return
  const isDone = work.attempts > 1
  await unlessLeaseLost(
    isDone ? ${name}Work.finish(ctx, work, {}) : ${name}Work.later(ctx, work, 5),
  )
}
`
}

function job(path: string, queue: string): string {
  const name = camel(queue)
  return `import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { attempt${capital(name)} } from '#shared/${path}/work/attempt.ts'
import { ${name} } from '#shared/${path}/work/topic.ts'
import { jobWith } from '../common/job.ts'

export const job = jobWith<typeof wire>()({
  topic: ${name},
  handle: (ctx, message) => attempt${capital(name)}(ctx, message),
})

export function wire(config: ConfigOf<'${queue}'>) {
  return { services: { table: openTable(config) } }
}
`
}

function schedule(path: string, queue: string): string {
  const name = camel(queue)
  return `import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { ${name}Work } from '#shared/${path}/work/items.ts'
import type { TickOf } from '../common/tick.ts'

/** Sends the messages of due work again, every minute. */
export const tick: TickOf<typeof wire> = async (ctx) => ({ sent: await ${name}Work.tick(ctx) })

export function wire(config: ConfigOf<'${queue}-due'>) {
  return { services: { table: openTable(config) } }
}
`
}

function request(queue: string): string {
  const name = camel(queue)
  return `   {
     put: ${name}Rows.put(
       { userId, id },
       { id, userId, attempts: 0 },
       ${name}Due.at(id, Date.now() + 30_000),
     ),
     if: 'attribute_not_exists(pk)',
   }
   await queues.send(${name}, { userId, id, attempt: 1 })`
}

function entries(queue: string): string {
  const entry = (name: string, folder: string, trigger: string, timeoutSeconds: number) => `   {
     name: '${name}',
     entry: 'functions/${folder}/${name}.ts',
     trigger: ${trigger},
     memoryMb: 256,
     timeoutSeconds: ${timeoutSeconds},
     grants: [{ table: 'write' }, { send: '${queue}' }],
     settings: [],
     secrets: [],
     budget: 'standard',
   },`
  const queued = `{ kind: 'queue', queue: '${queue}', batchSize: 5, maxReceives: 20 }`
  const everyMinute = "{ kind: 'schedule', everyMinutes: 1 }"
  return `${entry(queue, 'jobs', queued, 30)}\n${entry(`${queue}-due`, 'scheduled', everyMinute, 60)}`
}

function route(group: string, method: string, path: string): string {
  const verbs: Record<string, string> = { GET: 'get', POST: 'create', DELETE: 'delete' }
  const name = `${camel(group)}.${verbs[method] ?? 'update'}`
  const params = [...path.matchAll(/:(\w+)/g)].map(([, param]) => `${param}: z.string()`).join(', ')
  return `   route({
     name: '${name}',
     method: '${method}',
     path: '${path}',
     summary: '',
     tag: '${group}',
     guard: 'session',${params === '' ? '' : `\n     params: z.object({ ${params} }),`}
     response: z.object({}),
     errors: ['unauthorized'${params === '' ? '' : ", 'not-found'"}],${method === 'GET' ? '' : "\n     notAudited: '',"}
     handle: (ctx) => ({}),
   }),`
}
