/** One attempt of durable work, and the test that kills its process. */
import { capital, camel } from './draft.ts'

export interface Attempted {
  queue: string
  /** The name of one request, with spaces. */
  one: string
  /** The name of requests in the user's count of unfinished ones; absent for work without a count. */
  counted?: string
}

export function attemptOf({ queue, one, counted }: Attempted): string {
  const name = camel(one)
  const message = `${capital(camel(queue))}Message`
  const count = counted !== undefined
  const finish = count ? 'end(ctx, work, outcome)' : `${name}Work.finish(ctx, work, { set })`
  return `import type * as z from 'zod'
${count ? "import { userCount } from '#shared/accounts/users/counter.ts'\n" : ''}import type { Context } from '#shared/platform/identity/context.ts'
${count ? "import { decrement } from '#shared/platform/table/delete-counted.ts'\n" : ''}import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { ${name}Work } from './items.ts'
import { ${name}Rows } from './rows.ts'
import type { ${message} } from './topic.ts'

type Ctx = Pick<Context, 'table'>
type Work = z.output<ReturnType<typeof ${name}Rows.declared.schema>>
type Outcome = Pick<Work, 'state'> & Partial<Work>

/** The number of attempts after which the work has failed. */
export const mostAttempts = 10

/** Carries out one attempt. If it throws or its process is killed, the tick requests the next one. */
export async function attempt${capital(name)}(ctx: Ctx, message: ${message}): Promise<void> {
  const row = await ${name}Rows.find(ctx.table, message)
  const work = row && (await ${name}Work.claim(ctx, row, { message }))
  if (work === undefined) return
  await unlessLeaseLost(carryOut(work).then((${count ? 'outcome' : 'set'}) => ${finish}))
}

async function carryOut(work: Work): Promise<Outcome> {
  // Every earlier attempt threw, or its process was killed.
  if (work.attempts > mostAttempts) return { state: 'failed' }
  // The work belongs here. Its result is returned with the state.
  return { state: 'finished' }
}
${count ? countedEnd(name, counted) : ''}`
}

function countedEnd(name: string, many: string): string {
  return `
/**
 * Finishes the work with its state and result, and decrements the count of unfinished ${many} in the same
 * transaction. A write that is the effect of the work is a further part of it.
 */
async function end({ table }: Ctx, work: Work, set: Outcome): Promise<void> {
  const count = decrement(userCount(work.userId, ${name}Rows))
  const refusals = await ${name}Work.finish({ table }, work, { set }, { count })
  // The account was deleted in the meantime, together with its count.
  if (refusals !== undefined) await ${name}Work.finish({ table }, work, { set })
}
`
}

export function attemptTestOf({ queue, one, counted }: Attempted): string {
  const name = camel(one)
  const type = capital(name)
  const message = `${capital(camel(queue))}Message`
  const count = counted !== undefined
  const outcome = (state: string, left: number) =>
    count ? `{ state: '${state}', unfinished: ${left} }` : `{ state: '${state}' }`
  return `import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
${count ? "import { userRows } from '#shared/accounts/users/rows.ts'\nimport { newSeed } from '#shared/platform/ids.ts'\nimport { bodyFor } from '#tests/support/http/body-for.ts'\n" : ''}import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
${count ? `import { create${type} } from '../create.ts'\nimport { type New${type}, new${type} } from '../schema.ts'\n` : ''}import { attempt${type}, mostAttempts } from './attempt.ts'
import { ${name}Work } from './items.ts'
import { ${count ? '' : `${name}Due, `}${name}Rows } from './rows.ts'
import type { ${message} } from './topic.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

${count ? countedRequest(name, message) : request(name, message)}
/** Sends the messages of due work again, after all leases have expired. */
const tick = (ctx: Awaited<ReturnType<typeof requested>>['ctx']) =>
  ${name}Work.tick(ctx, Date.now() + 3_600_000)

it.each([
  ['before', false],
  ['after', true],
])('is finished once if its process is killed %s any of its calls', async (_, isLastCarriedOut) => {
  for (let calls = 0, isKilled = true; isKilled; calls++) {
    const { ctx, waiting, outcome } = await requested()
    const dying = killedProcess({ calls, isLastCarriedOut })
    await Promise.allSettled([attempt${type}({ table: dying.reach(ctx.table) }, waiting[0]!)])
    isKilled = dying.isKilled()
    await tick(ctx)
    for (const received of waiting) {
      await attempt${type}(ctx, received)
      await attempt${type}(ctx, received)
    }
    expect(await outcome(), \`killed at call \${calls}\`).toEqual(${outcome('finished', 0)})
  }
})

it('has failed after the maximum number of attempts', async () => {
  const { ctx, waiting, outcome } = await requested()
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    // Killed after its read and its claim.
    const { reach } = killedProcess({ calls: 2 })
    const dying = attempt${type}({ table: reach(ctx.table) }, waiting.pop()!)
    await expect(dying).rejects.toThrow(Killed)
    await tick(ctx)
  }
  expect(await outcome()).toEqual(${outcome('queued', 1)})
  await attempt${type}(ctx, waiting.pop()!)
  expect(await outcome()).toEqual(${outcome('failed', 0)})
})
`
}

function request(name: string, message: string): string {
  return `/** Requests the work for a new user. */
async function requested() {
  const { waiting, queues } = recorded<${message}>()
  const ctx = { table: database.table, queues }
  const [id, userId] = [randomUUID(), \`usr_\${randomUUID()}\`]
  const row = { id, userId, state: 'queued' as const, attempts: 0 }
  await ctx.table.put(${name}Rows.put(row, row, ${name}Due.at(id, Date.now())))
  waiting.push({ userId, id, attempt: 1 })
  const outcome = async () => ({ state: (await ${name}Rows.find(ctx.table, row))?.state })
  return { ctx, waiting, outcome }
}
`
}

function countedRequest(name: string, message: string): string {
  const type = capital(name)
  return `const body = new${type}.parse(bodyFor(new${type})) satisfies New${type}

/** Requests the work for a new user. */
async function requested() {
  const { waiting, queues } = recorded<${message}>()
  const ctx = { table: database.table, queues }
  const userId = \`usr_\${randomUUID()}\`
  await ctx.table.put({ ...userRows.key({ userId }), id: userId })
  const { id } = await create${type}({ ...ctx, owner: userId, seed: newSeed() }, body)
  const outcome = async () => ({
    state: (await ${name}Rows.find(ctx.table, { userId, id }))?.state,
    unfinished: (await ctx.table.get(userRows.key({ userId })))?.[${name}Rows.count],
  })
  return { ctx, waiting, outcome }
}
`
}
