import { camel, capital, type Draft, kebab, place } from './draft.ts'
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
  return {
    files: {
      ...filesOf(path, queue),
      [`shared/${path}/work/rows.ts`]: workRow(queue),
      [`shared/${path}/work/attempt.ts`]: attempt(queue),
      [`shared/${path}/work/attempt.test.ts`]: test(queue),
    },
    edits: { ...linesOf(queue), 'tests/table/traffic.ts': rareRow(oneOf(queue)) },
    generates: ['table'],
    next: [
      `complete shared/${path}/work/rows.ts, the row of the request. If the noun has a row for it already, add \`gsi1\` and \`attempts\` to that row instead. If the work belongs to no user, use \`pk: '${queue}#{id}'\``,
      `carry out the work in shared/${path}/work/attempt.ts, which continues from the writes of an interrupted attempt: AGENTS.md, "A job", 5`,
      `create the row in the transaction that requests the work, then send the message (for work at a later time, only create the row):\n${request(queue)}`,
      'grant `send` to the functions that send the message',
      `test it late, twice, out of order and with lost messages: shared/${path}/work/attempt.test.ts begins; functions/jobs/settlements.test.ts tests a whole job, shared/platform/work/items.test.ts leases and the tick`,
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
  schema: () => z.object({ id: z.string(), userId: z.string(), attempts: z.number() }),
})
`
}

function attempt(queue: string): string {
  const name = camel(oneOf(queue))
  const type = capital(camel(queue))
  return `import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { ${name}Work } from './items.ts'
import { ${name}Rows } from './rows.ts'
import type { ${type}Message } from './topic.ts'

/** The number of attempts after which the work has failed. */
const mostAttempts = 10

/** Carries out one attempt. If its process is killed, the tick requests the next one. */
export async function attempt${capital(name)}(
  ctx: Pick<Context, 'table'> & Sends<'${queue}'>,
  message: ${type}Message,
): Promise<void> {
  const row = await ${name}Rows.find(ctx.table, message)
  const work = row && (await ${name}Work.claim(ctx, row, { message }))
  if (work === undefined) return
  const isDone = work.attempts > 1
  await unlessLeaseLost(
    isDone || work.attempts >= mostAttempts
      ? // Store the outcome here, and write the effect in the same transaction: the fourth parameter.
        ${name}Work.finish(ctx, work, {})
      : ${name}Work.later(ctx, work, 5),
  )
}
`
}

function test(queue: string): string {
  const name = camel(oneOf(queue))
  const type = capital(camel(queue))
  return `import { afterAll, beforeAll, expect, it } from 'vitest'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { attempt${capital(name)} } from './attempt.ts'
import { ${name}Work } from './items.ts'
import { ${name}Due, ${name}Rows } from './rows.ts'
import type { ${type}Message } from './topic.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it.each([0, 1, 2])('is finished once if a process is killed after %i calls', async (calls) => {
  const { waiting, queues } = recorded<${type}Message>()
  const ctx = { table: database.table, queues }
  const row = { id: \`id-\${calls}\`, userId: 'usr_1', attempts: 0 }
  await ctx.table.put(${name}Rows.put(row, row, ${name}Due.at(row.id, Date.now())))
  const { reach } = killedProcess({ calls })
  await ${name}Work.tick(ctx, Date.now())
  const dying = { table: reach(ctx.table), queues: reach(queues) }
  const message = { userId: row.userId, id: row.id, attempt: 1 }
  await expect(attempt${capital(name)}(dying, message)).rejects.toThrow(Killed)
  await ${name}Work.tick(ctx, Date.now() + 3_600_000)
  for (const received of waiting) {
    await attempt${capital(name)}(ctx, received)
    await attempt${capital(name)}(ctx, received)
  }
  const { items } = await ctx.table.query({ pk: 'user#usr_1', beginsWith: ${name}Rows.prefix(row) })
  expect(items).toMatchObject([{ attempts: expect.toSatisfy((count) => count > 1) }])
  expect(items[0]).not.toHaveProperty('gsi1pk')
})
`
}

function request(queue: string): string {
  const name = camel(oneOf(queue))
  return `   {
     put: ${name}Rows.put(
       { userId, id },
       { id, userId, attempts: 0 },
       ${name}Due.at(id, Date.now() + 30_000),
     ),
     if: 'attribute_not_exists(pk)',
   }
   await queues.send(${camel(queue)}, { userId, id, attempt: 1 })`
}
