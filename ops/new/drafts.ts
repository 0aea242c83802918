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
        `name the verb of shared/${path}/${noun}.ts for what it does, and its file for its name`,
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
        'decide whether restore points contain it: shared/conversations/restore-points/content.ts',
        'if it belongs to an agent: a DeletionHook in functions/jobs/provisioning/on-deleted.ts',
        'npx vitest run tests/table tests/releases',
      ],
    }
  },

  job([path = '', queue = '']: readonly string[]): Draft | undefined {
    if (!place.test(path) || !/^[a-z-]+$/.test(queue)) return undefined
    return {
      files: {
        [`shared/${path}/topic.ts`]: topic(queue),
        [`functions/jobs/${queue}.ts`]: job(path, queue),
      },
      next: [
        'give the message its schema, and call a verb of the noun',
        `add the queue to shared/manifest/queues.ts, and to shared/manifest/functions/background.ts:\n${entry(queue)}`,
        'grant `send` to the functions that send the message',
        'test it late, twice and out of order, as functions/common/job.test.ts does',
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
        `test it in functions/${surface}/${group}/: npx vitest run functions/${surface}/${group}`,
        'npm run api',
        ...(surface === 'web'
          ? [
              'add a method to clients/typescript/resources/',
              'add a command to clients/cli/commands/, or a reason to clients/cli/reach.test.ts',
            ]
          : []),
        'npx vitest run tests/e2e/every-route.test.ts && npm run costs',
        'add a line to CHANGELOG.md',
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

function verb(noun: string): string {
  const name = camel(noun)
  const type = name.charAt(0).toUpperCase() + name.slice(1)
  return `import type { UserContext } from '#shared/platform/identity/context.ts'

export type ${type}Context = Pick<UserContext, 'actor' | 'table'>

/** @throws PlatformError */
export async function ${name}(ctx: ${type}Context, input: { id: string }): Promise<string> {
  return \`\${ctx.actor.user.id} \${input.id}\`
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

function topic(queue: string): string {
  return `import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

export const ${camel(queue)} = topic('${queue}', () => z.object({ id: z.string() }))

export type ${camel(queue).charAt(0).toUpperCase() + camel(queue).slice(1)}Message = MessageOf<typeof ${camel(queue)}>
`
}

function job(path: string, queue: string): string {
  return `import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { ${camel(queue)} } from '#shared/${path}/topic.ts'
import { jobWith } from '../common/job.ts'

export const job = jobWith<typeof wire>()({
  topic: ${camel(queue)},
  handle: async (ctx, message) => {
    ctx.log.info('received', { id: message.id })
  },
})

export function wire(config: ConfigOf<'${queue}'>) {
  return { services: { table: openTable(config) } }
}
`
}

function entry(queue: string): string {
  return `   {
     name: '${queue}',
     entry: 'functions/jobs/${queue}.ts',
     trigger: { kind: 'queue', queue: '${queue}', batchSize: 5, maxReceives: 20 },
     memoryMb: 256,
     timeoutSeconds: 30,
     grants: [{ table: 'write' }],
     settings: [],
     secrets: [],
     budget: 'standard',
   },`
}

function route(group: string, method: string, path: string): string {
  const verbs: Record<string, string> = { GET: 'get', POST: 'create', DELETE: 'delete' }
  const name = `${camel(group)}.${verbs[method] ?? 'update'}`
  return `   route({
     name: '${name}',
     method: '${method}',
     path: '${path}',
     summary: '',
     tag: '${group}',
     guard: 'session',
     response: z.object({}),
     errors: ['unauthorized'],${method === 'GET' ? '' : "\n     notAudited: '',"}
     handle: (ctx) => ({}),
   }),`
}
