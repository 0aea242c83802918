import { camel, capital, type Draft } from './draft.ts'

export function verb([path = '']: readonly string[]): Draft | undefined {
  const [, district, noun, name] = /^([a-z-]+)\/([a-z-]+)\/([a-z-]+)$/.exec(path) ?? []
  if (district === undefined || noun === undefined || name === undefined) return undefined
  const folder = `shared/${district}/${noun}`
  const called = `${camel(name)}${capital(camel(name === 'list' ? noun : noun.replace(/s$/, '')))}`
  return {
    files: {
      [`${folder}/${name}.ts`]: code(called),
      [`${folder}/${name}.test.ts`]: test(called, name),
    },
    next: [
      `give ${called} its input, its result and its docstring; ports that it needs are capabilities: ctx: UserContext & Sends<'provisioning'> & Can<'mailer'>`,
      'call it in a route, a job or another verb',
      `npx vitest run ${folder}`,
    ],
  }
}

function code(called: string): string {
  return `import type { UserContext } from '#shared/platform/identity/context.ts'

export async function ${called}(
  ctx: Pick<UserContext, 'owner' | 'table'>,
  input: { id: string },
): Promise<{ id: string; owner: string }> {
  return { id: input.id, owner: ctx.owner }
}
`
}

function test(called: string, file: string): string {
  return `import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { ${called} } from './${file}.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it('works for the owner of the context', async () => {
  const ctx = { table: database.table, owner: 'usr_1' }
  expect(await ${called}(ctx, { id: 'one' })).toEqual({ id: 'one', owner: 'usr_1' })
})
`
}
