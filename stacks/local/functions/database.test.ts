import { expect, test } from 'vitest'
import { startDatabase } from '../database/server.ts'
import { startHarness } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'

const http = { kind: 'http', surface: 'web', prefixes: ['/x'] } as const
const functions = [
  fixture('granted', 'http', http),
  fixture('not-granted', 'http', http),
  fixture('apart', 'http', { kind: 'invoke' }),
]

test('only functions in this process with a granted table use the database without a network connection', async () => {
  const database = await startDatabase({ dir: ':memory:' })
  await using harness = await startHarness(
    functions,
    ({ name }): Record<string, string> =>
      name === 'not-granted' ? {} : { DYNAMODB_ENDPOINT: database.endpoint },
    600,
    'threads',
    database.call,
  )
  const ask = async (name: string) => {
    const outcome = await harness.host.invoke(name, { rawPath: '/x/database' })
    if (outcome.streamed) throw new Error('not expected to stream')
    return JSON.parse((outcome.result as { body: string }).body) as unknown
  }
  const tables = { status: 200, body: JSON.stringify({ TableNames: [] }) }
  expect(await Promise.all([ask('granted'), ask('granted')])).toEqual([tables, tables])
  expect(await ask('not-granted')).toBeNull()
  expect(await ask('apart')).toBeNull()
  await database.close()
})
