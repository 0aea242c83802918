/**
 * Verifies the audit's chains: `npm run audit:verify`, `-- --user usr_…` for one user, `-- --heads <file>` for lines of
 * the log that published heads. Without TABLE_NAME it reads the database of one machine in DATA_DIR, running or not, and
 * the heads in its log. docs/operations.md, Audit. Exit code 1 where anything is wrong, 2 where it cannot be verified.
 */
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { publishedHeads, type PublishedHeads } from '../../shared/audit/published.ts'
import { auditedUsers } from '../../shared/audit/users.ts'
import { verifyChain } from '../../shared/audit/verify.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { openSnapshot } from './snapshot.ts'

const say = (text: string) => void process.stdout.write(`${text}\n`)

interface Source {
  table: Table
  /** Files of log lines to compare with. */
  logs: string[]
  close(): Promise<void>
}

async function openSource(): Promise<Source> {
  const { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint, DATA_DIR = '.data' } = process.env
  if (tableName !== undefined)
    return { table: dynamoTable({ tableName, endpoint }), logs: [], close: async () => {} }
  const dataDir = resolve(DATA_DIR)
  const { endpoint: local, close } = await openSnapshot(join(dataDir, 'database'))
  process.env['AWS_REGION'] = 'us-east-1'
  process.env['AWS_ACCESS_KEY_ID'] = process.env['AWS_SECRET_ACCESS_KEY'] = 'local'
  const logs = ['functions.log.1', 'functions.log'].map((name) => join(dataDir, 'logs', name))
  const table = dynamoTable({ tableName: 'platform', endpoint: local })
  return { table, logs: logs.filter((path) => existsSync(path)), close }
}

async function readHeads(paths: readonly string[]): Promise<PublishedHeads> {
  const heads: PublishedHeads = new Map()
  for (const path of paths) {
    await using file = await open(path)
    for await (const line of file.readLines()) publishedHeads([line], heads)
  }
  return heads
}

async function verify({
  user,
  heads: given,
}: {
  user?: string
  heads?: string[]
}): Promise<boolean> {
  const source = await openSource()
  try {
    const heads = await readHeads(given ?? source.logs)
    if (given !== undefined && heads.size === 0) throw new Error('The files publish no heads')
    const users = user === undefined ? new Set(heads.keys()) : new Set([user])
    if (user === undefined) for await (const one of auditedUsers(source)) users.add(one)
    let [entries, wrong] = [0, 0]
    for (const userId of users) {
      const report = await verifyChain(source, { userId, published: heads.get(userId) })
      entries += report.entries
      wrong += report.findings.length
      for (const { seq, says } of report.findings) say(`${userId} entry ${seq} ${says}`)
    }
    const compared = [...users].filter((userId) => heads.has(userId)).length
    say(
      `${entries} entries of ${users.size} users verified, ${compared} users compared with published heads: ` +
        (wrong === 0 ? 'every chain is whole' : `${wrong} findings`),
    )
    return wrong === 0
  } finally {
    await source.close()
  }
}

try {
  const { values } = parseArgs({
    options: { user: { type: 'string' }, heads: { type: 'string', multiple: true } },
  })
  process.exitCode = (await verify(values)) ? 0 : 1
} catch (error) {
  say(`The audit cannot be verified: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}
