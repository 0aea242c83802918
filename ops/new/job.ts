import { camel, type Draft, kebab, place } from './draft.ts'
import { attemptOf, attemptTestOf } from './job-attempt.ts'
import { filesOf, linesOf, oneOf } from './job-files.ts'
import { jobResource } from './job-resource.ts'
import { rareRow } from './row.ts'

/**
 * @param words the path of the noun, then the queue in the plural, such as `later-stops`; or the words of a job with
 * routes, which have a limit
 */
export function job(words: readonly string[], root: string): Draft | undefined {
  if (words.includes('--limit')) return jobResource(words, root)
  const [path = '', queue = ''] = words
  if (!place.test(path) || !kebab.test(queue)) return undefined
  const attempted = { queue, one: oneOf(queue) }
  const work = `shared/${path}/work`
  return {
    files: {
      ...filesOf(path, queue),
      [`${work}/rows.ts`]: workRow(queue),
      [`${work}/attempt.ts`]: attemptOf(attempted),
      [`${work}/attempt.test.ts`]: attemptTestOf(attempted),
    },
    edits: { ...linesOf(queue), 'tests/table/traffic.ts': rareRow(oneOf(queue)) },
    generates: ['table'],
    next: [
      `complete ${work}/rows.ts, the row of the request. If the noun has a row for it already, add \`gsi1\`, \`state\` and \`attempts\` to that row instead. If the work belongs to no user, use \`pk: '${queue}#{id}'\``,
      `carry out the work in ${work}/attempt.ts, which continues from the writes of an interrupted attempt: AGENTS.md, "A job", 5`,
      `create the row in the transaction that requests the work, then send the message (for work at a later time, only create the row):\n${request(queue)}`,
      'grant `send` to the functions that send the message',
      `test it late, twice, out of order and with lost messages: ${work}/attempt.test.ts begins; functions/jobs/settlements.test.ts tests a whole job, shared/platform/work/items.test.ts leases and the tick`,
      'if it belongs to an agent: a DeletionHook in functions/jobs/provisioning/on-deleted.ts',
      'npx vitest run tests/table; if the work is more frequent than five times per second: its rate in tests/table/traffic.ts',
      'npm run infra -- -u && npm run costs',
    ],
  }
}

function workRow(queue: string): string {
  const name = camel(oneOf(queue))
  return `import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

export const ${name}Due = dueIndex('${queue}', 4)

/** In the index until the work is finished. */
export const ${name}Rows = entity({
  name: '${oneOf(queue)}',
  pk: 'user#{userId}',
  sk: '${queue}#{id}',
  gsi1: { pk: '${queue}#{shard}', sk: '{due}#{id}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      state: z.enum(['queued', 'finished', 'failed']),
      attempts: z.number(),
    }),
})
`
}

function request(queue: string): string {
  const name = camel(oneOf(queue))
  return `   {
     put: ${name}Rows.put(
       { userId, id },
       { id, userId, state: 'queued', attempts: 0 },
       ${name}Due.at(id, Date.now() + 30_000),
     ),
     if: 'attribute_not_exists(pk)',
   }
   await queues.send(${camel(queue)}, { userId, id, attempt: 1 })`
}
