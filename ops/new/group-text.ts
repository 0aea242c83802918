import { an, type Names } from './names.ts'

/** Returns the route that gets one row, in the groups of resources and jobs. */
export function getRouteOf({ noun, one, plural, single, type }: Names): string {
  return `  route({
    name: '${plural}.get',
    method: 'GET',
    path: '/api/${noun}/:id',
    summary: 'Get ${an(one)}',
    tag,
    guard: 'session',
    params: ${single}Params,
    response: ${single}View,
    errors: ['unauthorized', 'not-found'],
    handle: (ctx, { params }) => get${type}(ctx, params),
  }),
`
}

/**
 * Returns the beginning of the test of such a group: its imports, which the formatter sorts, and the body of a create.
 * @param imports the lines of further imports
 */
export function testStartOf({ path, noun, single, type }: Names, imports: string): string {
  return `import { afterAll, beforeAll, expect, it } from 'vitest'
import { userRows } from '#shared/accounts/users/rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { ${single}Limit } from '#shared/${path}/create.ts'
import { type Departures, startDepartures } from '#tests/support/billing/account-deletions.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
${imports}
import type { New${type} } from '../../../clients/typescript/index.ts'
import * as group from '../${noun}.ts'

let on: Departures
beforeAll(async () => {
  on = await startDepartures()
})
afterAll(() => on.close())

const body = bodyFor(new${type}) as New${type}
`
}
