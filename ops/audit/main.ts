/**
 * Verifies the audit's chains: `npm run audit:verify`; `-- --help` lists its options. Without TABLE_NAME it reads the
 * database of one machine in DATA_DIR, running or not, and the heads in its log. See docs/operate/operations.md, Audit.
 * Exit code: 1 if anything is wrong, 2 if it cannot verify.
 */
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { publishedHeads, type PublishedHeads } from '#shared/accounts/audit/published-heads.ts'
import { verifyChain } from '#shared/accounts/audit/verify.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { whatAwsLacks } from '../aws-settings.ts'
import { openSnapshot } from './snapshot.ts'
import { auditedUsers } from './users.ts'

/** The maximum number of names in a line. */
const maxShown = 20

const say = (text: string) => void process.stdout.write(`${text}\n`)

interface Source {
  table: Table
  tableName: string
  endpoint: string | undefined
  /** Log files whose heads are compared with the chains. */
  logs: string[]
  close(): Promise<void>
}

async function openSource(): Promise<Source> {
  const { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint, DATA_DIR = '.data' } = process.env
  if (tableName !== undefined)
    return sourceOf({ tableName, endpoint, logs: [], close: async () => {} })
  const dataDir = resolve(DATA_DIR)
  const { endpoint: local, close } = await openSnapshot(join(dataDir, 'database'))
  process.env['AWS_REGION'] = 'us-east-1'
  process.env['AWS_ACCESS_KEY_ID'] = process.env['AWS_SECRET_ACCESS_KEY'] = 'local'
  const logs = ['functions.log.1', 'functions.log'].map((name) => join(dataDir, 'logs', name))
  const own = logs.filter((path) => existsSync(path))
  return sourceOf({ tableName: 'platform', endpoint: local, logs: own, close })
}

function sourceOf(source: Omit<Source, 'table'>): Source {
  return { ...source, table: dynamoTable(source) }
}

async function readHeads(paths: readonly string[]): Promise<PublishedHeads> {
  const heads: PublishedHeads = new Map()
  for (const path of paths) {
    await using file = await open(path)
    for await (const line of file.readLines()) publishedHeads([line], heads)
  }
  return heads
}

/** @returns the exit code */
async function verify({
  user,
  heads: headsFile,
}: {
  user?: string
  heads?: string[]
}): Promise<number> {
  const source = await openSource()
  try {
    const heads = await readHeads(headsFile ?? source.logs)
    if (headsFile !== undefined && heads.size === 0)
      throw new Error('The files contain no published heads')
    const users = new Map(
      [...heads.keys()].map((userId) => [userId, { userId, hasProfile: false }]),
    )
    for (const one of await auditedUsers(source)) users.set(one.userId, one)
    const asked = [...users.values()].filter(({ userId }) => userId === (user ?? userId))
    if (user !== undefined && asked.length === 0)
      throw new Error(`No audit entries of ${user} exist`)
    let [entries, wrong] = [0, 0]
    for (const { userId, hasProfile } of asked) {
      const published = heads.get(userId)
      const report = await verifyChain(source, {
        userId,
        // The scan may miss a row that was written a moment ago.
        hasProfile: hasProfile || (await source.table.get(profileOf(userId))) !== undefined,
        published,
      })
      entries += report.entries
      wrong += report.findings.length
      for (const { seq, to, says } of report.findings)
        say(`${userId} entry ${to === undefined ? seq : `${seq} to ${to}`} ${says}`)
    }
    say(
      `${entries} entries of ${asked.length} users: ` +
        (wrong === 0 ? 'every chain is consistent' : `${wrong} findings`),
    )
    const apart = asked.filter(({ userId }) => !heads.has(userId)).map(({ userId }) => userId)
    say(
      `compared with published heads: ${asked.length - apart.length}; not compared: ${apart.length}` +
        shown(apart),
    )
    if (wrong > 0) return 1
    if (headsFile !== undefined || source.logs.length > 0) return 0
    say(
      'No heads were compared, so a rewritten chain is not detected. Pass the log’s lines with --heads.',
    )
    return 2
  } finally {
    await source.close()
  }
}

const profileOf = (userId: string) => ({ pk: userPartition(userId), sk: profileKey })

/** Names some users, and counts the rest. */
function shown(users: readonly string[]): string {
  if (users.length === 0) return ''
  const more = users.length - maxShown
  return ` (${users.slice(0, maxShown).join(', ')}${more > 0 ? ` and ${more} more` : ''})`
}

const help = `npm run audit:verify [-- --user usr_…] [--heads <file>]…
  --user   verifies only this user
  --heads  a file of log lines with published heads, to compare with; may be repeated
On one machine, it reads the database in DATA_DIR (.data), which may be running, and compares it with its log. For a
deployed table, set TABLE_NAME; credentials and region come from the environment, as for the AWS SDK. See
docs/operate/operations.md, Audit.`

const whyOf = (error: unknown) =>
  whatAwsLacks(error) ?? (error instanceof Error ? error.message : String(error))

function readOptions() {
  try {
    return parseArgs({
      options: {
        user: { type: 'string' },
        heads: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    throw new Error(`${whyOf(error)}. \`npm run audit:verify -- --help\` lists the options`, {
      cause: error,
    })
  }
}

try {
  const { help: isAsked, ...options } = readOptions()
  if (isAsked) say(help)
  else process.exitCode = await verify(options)
} catch (error) {
  say(`The audit cannot be verified: ${whyOf(error)}`)
  process.exitCode = 2
}
