import { creates, hasBody, isPaged, listed, type RouteWords } from './route-text.ts'

/** Returns a test that calls each of a new group's routes once, with and without a credential. */
export function testOf(routes: readonly RouteWords[]): string {
  return routes[0]?.surface === 'web' ? webTest(routes) : backendTest(routes)
}

function webTest(routes: readonly RouteWords[]): string {
  return `import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import * as group from '../${routes[0]?.group}.ts'

let keys: Keys
let session: string
beforeAll(async () => {
  keys = await startKeys()
  session = (await keys.signUp('ada@b.co')).session
})
afterAll(() => keys.close())

it.each([
${routes.map(caseOf).join('\n')}
])('$method $path answers a signed-in user, and no one else', async (one) => {
  const { method, path, body, status, answer } = one
  const call = callerOf(group, { table: keys.table })
  const answered = await call(method, path, { session, body })
  expect([answered.status, await answered.json()]).toEqual([status, answer])
  expect((await call(method, path, { body })).status).toBe(401)
})
`
}

function backendTest(routes: readonly RouteWords[]): string {
  return `import { afterAll, beforeAll, expect, it } from 'vitest'
import { internalCallerOf } from '#tests/support/http/internal-caller.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import * as group from '../${routes[0]?.group}.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it.each([
${routes.map(caseOf).join('\n')}
])('$method $path answers a caller with the platform’s key, and no one else', async (one) => {
  const { method, path, body, status, answer } = one
  const call = internalCallerOf(group, { table: database.table })
  expect(await call(method, path, { body })).toEqual([status, answer])
  const [refused] = await call(method, path, { body, bearer: null })
  expect(refused).toBe(401)
})
`
}

function caseOf(words: RouteWords): string {
  const { method, path, name } = words
  const answer = isPaged(words)
    ? `{ ${listed(words)}: [] }`
    : name.endsWith('.delete')
      ? '{ deleted: true }'
      : "{ id: 'one' }"
  return `  {
    method: '${method}',
    path: '${path.replaceAll(/:\w+/g, 'one')}',
    body: ${hasBody(words) ? "{ name: 'one' }" : 'undefined'},
    status: ${creates(words) ? 201 : 200},
    answer: ${answer},
  },`
}
