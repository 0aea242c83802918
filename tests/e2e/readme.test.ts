import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stack } from '../support/platform.ts'

const run = promisify(execFile)

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tour-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true })
})

/** The blocks of the README that a newcomer copies, with this stack's addresses and a user of its own. */
async function tour(): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')
  const blocks = [...text.matchAll(/^```sh tour\n(.*?)^```/gms)].map(([, block = '']) => block)
  const { web, backend, dataDir } = stack()
  return blocks.map((block) =>
    block
      .replace('http://localhost:3000', web)
      .replace('http://localhost:3001', backend)
      .replace('DATA=.data', `DATA=${dataDir}`)
      .replaceAll('ada@example.com', `tour-${folder.slice(-6).toLowerCase()}@example.com`),
  )
}

describe.runIf(process.platform === 'linux')('the README’s tour', () => {
  it('does what it says, from the first command to the last', async () => {
    const blocks = await tour()
    expect(blocks.length).toBeGreaterThan(5)
    const script = ['set -euo pipefail', ...blocks.map((block) => `${block}\necho; echo == ==`)]
    const { stdout } = await run('bash', ['-c', script.join('\n')], {
      cwd: folder,
      timeout: 60_000,
      env: { ...process.env, HOME: folder },
    })
    const [signUp, plan, provisioned, chat, back, history] = stdout.split('== ==\n')
    expect(signUp).toContain('"ok":true')
    expect(plan).toContain('"plan":"solo"')
    expect(provisioned).toMatch(/"status":"provisioning"[^]*"status":"running"/)
    expect(chat).toMatch(
      /"reply":"[^"]*You said: Hello, who are you\?"[^]*event: delta[^]*event: done/,
    )
    expect(back).toMatch(/"status":"running".*"incidents":\[\{[^}]*exit code 137/)
    expect(history).toMatch(/"status":"stopped"[^]*"messages":\[\{/)
  })
})
