import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryDir } from '#stacks/local/testing/harness.ts'
import { startWorker } from '../support/http/workerd.ts'
import { expectSeen, scenarioBundle, type Seen } from '../support/programs/built-client/bundle.ts'
import { keyOf, newSubscriber, runningAgent, stack } from '../support/stack/platform.ts'

const run = promisify(execFile)

/** The machine's own Node, which may be older than the one that runs the scripts. */
const machines = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((path) => existsSync(path))

let options: { baseUrl: string; apiKey: string }
let agentId: string

beforeAll(async () => {
  const user = await newSubscriber('solo')
  agentId = await runningAgent(user)
  options = { baseUrl: stack().web, apiKey: await keyOf(user) }
})

describe('the built client lists, streams, follows a log and reports errors', () => {
  it.each([
    ['the Node of the scripts', process.execPath],
    ...(machines === undefined ? [] : [['the machine’s own Node', machines]]),
  ])(
    'the built client lists, streams, follows a log and reports errors in %s',
    async (_which, node) => {
      const { stdout: version } = await run(node, ['--version'])
      expect(Number(/\d+/.exec(version)?.[0])).toBeGreaterThanOrEqual(20)
      await using folder = await temporaryDir()
      const file = join(folder.path, 'program.mjs')
      const use = `console.log(JSON.stringify(await seenBy(...JSON.parse(process.argv[2]))))`
      await writeFile(file, await scenarioBundle(use))
      const { stdout } = await run(node, [file, JSON.stringify([options, agentId])])
      expectSeen(JSON.parse(stdout) as Seen, agentId)
    },
  )

  it('the built client lists, streams, follows a log and reports errors in workerd', async () => {
    await using folder = await temporaryDir()
    const file = join(folder.path, 'worker.mjs')
    const use = `export default { async fetch(request) {
      return Response.json(await seenBy(...(await request.json())))
    } }`
    await writeFile(file, await scenarioBundle(use))
    const worker = await startWorker(file)
    try {
      const body = JSON.stringify([options, agentId])
      const answer = await fetch(worker.url, { method: 'POST', body })
      expectSeen((await answer.json()) as Seen, agentId)
    } finally {
      await worker.close()
    }
  })
})
