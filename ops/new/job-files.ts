import { addLine, camel, capital, type Edit } from './draft.ts'
import { singular } from './names.ts'

/** Returns the files of a job that do not depend on its routes. @param one the name of one request, with spaces */
export function filesOf(path: string, queue: string, one = oneOf(queue)): Record<string, string> {
  const work = `shared/${path}/work`
  return {
    [`${work}/topic.ts`]: topic(queue),
    [`${work}/items.ts`]: items(queue, one),
    [`functions/jobs/${queue}.ts`]: consumer(path, queue, one),
    [`functions/scheduled/${queue}-due.ts`]: schedule(path, queue, one),
  }
}

/** Returns the lines of a job in the lists of functions and queues. */
export function linesOf(queue: string): Record<string, Edit> {
  return {
    'shared/manifest/functions/background.ts': addLine(
      ['export const background = ['],
      entries(queue),
      'last',
    ),
    'functions/common/watched-queues.ts': addLine(
      ['const watched: Record<QueueName, true> = {'],
      /^[a-z]+$/.test(queue) ? `${queue}: true,` : `'${queue}': true,`,
      'sorted',
    ),
  }
}

/** Returns the name of one request, with spaces: `later stop` of `later-stops`. */
export function oneOf(queue: string): string {
  return singular(queue.replaceAll('-', ' '))
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

function items(queue: string, one: string): string {
  const name = camel(one)
  const sent = camel(queue)
  return `import type * as z from 'zod'
import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { ${name}Due, ${name}Rows } from './rows.ts'
import { ${sent} } from './topic.ts'

type Work = z.output<ReturnType<typeof ${name}Rows.declared.schema>>

export const ${name}Work = workItems({
  rows: ${name}Rows,
  key: ({ userId, id }: Work) => ${name}Rows.key({ userId, id }),
  id: ({ id }) => id,
  due: ${name}Due,
  fence: counter('attempts', ({ attempts }: Work) => attempts),
  topic: ${sent},
  message: ({ userId, id, attempts }) => ({ userId, id, attempt: attempts + 1 }),
  // Longer than an attempt takes.
  leaseMs: 30_000,
  lostMs: 30_000,
})
`
}

function consumer(path: string, queue: string, one: string): string {
  const name = camel(queue)
  const attempted = `attempt${capital(camel(one))}`
  const work = `shared/${path}/work`
  return `import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { ${attempted} } from '#${work}/attempt.ts'
import { ${name} } from '#${work}/topic.ts'
import { jobWith } from '../common/job.ts'

export const job = jobWith<typeof wire>()({
  topic: ${name},
  handle: (ctx, message) => ${attempted}(ctx, message),
})

export function wire(config: ConfigOf<'${queue}'>) {
  return { services: { table: openTable(config) } }
}
`
}

function schedule(path: string, queue: string, one: string): string {
  const name = camel(one)
  const work = `shared/${path}/work`
  return `import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { ${name}Work } from '#${work}/items.ts'
import type { TickOf } from '../common/tick.ts'

/** Sends the messages of due work again, every minute. */
export const tick: TickOf<typeof wire> = async (ctx) => ({ sent: await ${name}Work.tick(ctx) })

export function wire(config: ConfigOf<'${queue}-due'>) {
  return { services: { table: openTable(config) } }
}
`
}

function entries(queue: string): string {
  const entry = (name: string, folder: string, trigger: string, more: string) => `{
  name: '${name}',
  entry: 'functions/${folder}/${name}.ts',
  trigger: ${trigger},
  memoryMb: 256,
  ${more},
  settings: [],
  secrets: [],
  budget: 'standard',
},`
  const queued = `{ kind: 'queue', queue: '${queue}', batchSize: 5, maxReceives: 20 }`
  const everyMinute = "{ kind: 'schedule', everyMinutes: 1 }"
  const own = "timeoutSeconds: 30,\n  grants: [{ table: 'write' }]"
  const ticks = `timeoutSeconds: 60,\n  grants: [{ table: 'write' }, { send: '${queue}' }]`
  return `${entry(queue, 'jobs', queued, own)}\n${entry(`${queue}-due`, 'scheduled', everyMinute, ticks)}`
}
