import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishHeads } from '#shared/accounts/audit/publish.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import { auditSortKey, auditRows } from '#shared/platform/identity/rows.ts'
import type { Log } from '#shared/platform/log.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { localCredentials } from '#stacks/local/clients/credentials.ts'
import { type Database, startDatabase } from '#stacks/local/database/server.ts'
import { createTable } from '#stacks/local/table/create.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { testAccessKey, useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { runAuditVerify } from '#tests/support/programs/audit-verify.ts'

let dataDir: string
let database: Database
let table: Table

beforeAll(async () => {
  useLocalCredentials()
  dataDir = await mkdtemp(join(tmpdir(), 'audit-verify-'))
  database = await startDatabase({ dir: join(dataDir, 'database') })
  await createTable(database.endpoint, 'platform', localCredentials(testAccessKey))
  table = dynamoTable({ tableName: 'platform', endpoint: database.endpoint })
  await mkdir(join(dataDir, 'logs'))
})
afterAll(async () => {
  await database.close()
  await rm(dataDir, { recursive: true })
})

const verify = (options: string[] = [], environment: NodeJS.ProcessEnv = {}) =>
  runAuditVerify(options, { DATA_DIR: dataDir, ...environment })

async function add(userId: string) {
  const entry = await audit(eventContext(table), 'credits.granted', { userId, target: 'evt_1' })
  await commit(table, { entry })
}

async function publish(file: string) {
  const lines: string[] = []
  const write: Log['info'] = (message, fields) =>
    void lines.push(JSON.stringify({ message, ...fields }))
  await publishHeads({ table, log: { info: write, warn: write, error: write } }, Date.now() + 1)
  await appendFile(file, lines.map((line) => `${line}\n`).join(''))
}

it('detects changes in the table of a running machine, by the heads in its log', async () => {
  for (const userId of ['usr_ada', 'usr_ada', 'usr_eve']) await add(userId)
  await publish(join(dataDir, 'logs', 'functions.log'))
  const [code, said] = await verify()
  expect([code, said]).toEqual([
    0,
    '3 entries of 2 users: every chain is consistent\n' +
      'compared with published heads: 2; not compared: 0\n',
  ])

  const key = auditRows.key({ userId: 'usr_ada', place: auditSortKey(1) })
  await table.update(key, { set: { actor: 'user:usr_eve' } })
  const [changed, says] = await verify()
  expect(changed).toBe(1)
  expect(says).toContain('usr_ada entry 1 was changed')
  expect((await verify(['--user', 'usr_eve']))[0]).toBe(0)

  // A user's audit is deleted without a trace in the table, but the log still has its head.
  await table.delete(auditRows.key({ userId: 'usr_eve', place: auditSortKey(1) }))
  await table.delete({ pk: 'user#usr_eve', sk: 'audit-head' })
  expect((await verify())[1]).toContain('usr_eve entry 1 was published and is missing')
  // The account shows it too, even if no head was published.
  await table.put({ pk: 'user#usr_new', sk: 'profile' })
  expect((await verify())[1]).toContain('usr_new entry 1 is missing')
  await table.delete({ pk: 'user#usr_new', sk: 'profile' })
})

it('reads another table, and published heads from files', async () => {
  const other = { TABLE_NAME: 'platform', DYNAMODB_ENDPOINT: database.endpoint }
  const heads = join(dataDir, 'heads.jsonl')
  await add('usr_bob')
  await publish(heads)
  const options = ['--user', 'usr_bob', '--heads', heads]
  expect(await verify(options, other)).toEqual([
    0,
    expect.stringContaining('heads: 1; not compared: 0'),
  ])
})

it('fails if a deployed table was compared without heads', async () => {
  await add('usr_bob')
  const other = { TABLE_NAME: 'platform', DYNAMODB_ENDPOINT: database.endpoint }
  expect(await verify(['--user', 'usr_bob'], other)).toEqual([
    2,
    expect.stringContaining('No heads were compared'),
  ])
})

it('fails with the reason if it cannot verify', async () => {
  const empty = join(dataDir, 'empty.jsonl')
  await writeFile(empty, '{"message":"request"}\n')
  expect(await verify(['--heads', empty])).toEqual([
    2,
    expect.stringContaining('no published heads'),
  ])
  expect(await verify([], { DATA_DIR: join(dataDir, 'none') })).toEqual([
    2,
    expect.stringMatching(/contains no database: set DATA_DIR .* or TABLE_NAME /),
  ])
  const without = {
    TABLE_NAME: 'platform',
    AWS_REGION: undefined,
    AWS_CONFIG_FILE: join(dataDir, 'none'),
  }
  expect(await verify([], without)).toEqual([
    2,
    'The audit cannot be verified: no region is set: set AWS_REGION\n',
  ])
  expect(await verify(['--nonsense'])).toEqual([
    2,
    expect.stringContaining('`npm run audit:verify -- --help` lists the options'),
  ])
})

it('prints its usage', async () => {
  expect(await verify(['--help'])).toEqual([0, expect.stringMatching(/--user .*\n.*--heads /)])
})
