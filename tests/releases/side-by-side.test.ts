import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { releaseWaves } from '#shared/manifest/releases.ts'
import { build } from '#stacks/build/build.ts'
import { type Database, startDatabase } from '#stacks/local/database/server.ts'
import { type Stack, startStack } from '#stacks/local/stack.ts'
import { freePorts } from '#stacks/local/testing/free-ports.ts'
import { checkoutOf } from '../support/billing/checkout.ts'
import { clientOf } from '../support/http/client.ts'
import { testAccessKey } from '../support/platform/credentials.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { buildRelease, lastRelease, mixture } from './last-release.ts'
import { beginLife, find, continueLife, type Life, type World } from './lives.ts'

const root = join(import.meta.dirname, '../..')
const last = await lastRelease()
const missing = 'missing' in last ? last.missing : undefined
if (missing !== undefined)
  process.stdout.write(`the last release is not run beside this one: ${missing}\n`)

const waves = releaseWaves(functions).map((wave) => wave.map(({ name }) => name))

/** The stages of a rollout and of a rollback: the number of waves that have moved to this release. */
const stages = [
  ['the last release', 0],
  ['a release whose jobs were moved', 1],
  ['a release whose backend was moved too', 2],
  ['this release', waves.length],
  ['the last release, taken back', 0],
  ['this release, moved again', waves.length],
] as const

describe.skipIf(missing !== undefined)('over the same rows and queues', () => {
  let dataDir: string
  let database: Database
  let bundles: { last: string; today: string }
  const lives: Life[] = []

  beforeAll(async () => {
    if ('missing' in last) return
    dataDir = await mkdtemp(join(tmpdir(), 'platform-releases-'))
    database = await startDatabase({ dir: join(dataDir, 'rows') })
    const { functionsDir: today } = await build({ functions, root, outDir: join(root, 'dist') })
    bundles = { last: await buildRelease(last.commit), today }
  })
  afterAll(async () => {
    if (missing !== undefined) return
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  /** Runs the platform on one machine, with some waves on this release and the others on the last one. */
  async function withMoved(moved: number, use: (world: World, stack: Stack) => Promise<void>) {
    const folder = join(dataDir, 'bundles')
    const ours = new Set(waves.slice(0, moved).flat())
    await mixture(folder, bundles, (name) => ours.has(name))
    const stack = await startStack({
      root,
      bundles: folder,
      environment: {
        DATA_DIR: join(dataDir, 'stack'),
        ...freePorts,
        LOCAL_ACCESS_KEY_ID: testAccessKey,
        RATE_LIMITS: 'off',
        // Over the wire, because the in-process protocol between functions and their host belongs to one release.
        DYNAMODB_ENDPOINT: database.endpoint,
      },
    })
    try {
      const text = await readFile(stack.secretsFile, 'utf8')
      const secrets = JSON.parse(text) as Record<string, string>
      const surfaces = () => ({
        ...stack.urls,
        internalKey: secrets['INTERNAL_API_KEY'] ?? '',
        checkout: stack.checkoutUrl ?? '',
        checkoutKey: secrets['PAYMENTS_SECRET_KEY'] ?? '',
      })
      const client = clientOf(surfaces)
      await use({ stack: surfaces, client, checkout: checkoutOf(surfaces) }, stack)
    } finally {
      await stack.close()
    }
  }

  it.each(stages)(
    '%s serves its own users and the users of all earlier releases',
    async (name, moved) => {
      await withMoved(moved, async (world, stack) => {
        for (const life of lives) await find(world, life)
        const born = await beginLife(world, name)
        for (const life of lives) await continueLife(world, life, `gone on with by ${name}`)
        lives.push(born)
        for (const life of lives) await find(world, life)
        const engines = enginesOf(() => stack.endpoints)
        expect(await engines.deadLetters()).toEqual({})
        expect(await errorsIn(stack.logFile)).toEqual([])
      })
    },
  )
})

/** Returns the errors in the functions' log. */
async function errorsIn(file: string): Promise<unknown[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines
    .map((line) => JSON.parse(line) as { level?: string })
    .filter(({ level }) => level === 'error')
}
