import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Explorer, startExplorer } from '../support/tools/explorer.ts'
import { beginRepository } from '../support/tools/git-repositories.ts'
import { type GitCommand, gitIn } from '../support/tools/git.ts'

const sync = pathToFileURL(
  join(import.meta.dirname, '../../shared/tools/explorer/git/sync.ts'),
).href

/**
 * Syncs the workspace, and kills itself just before the nth step on the disk. If it survives, it prints the number of
 * steps.
 */
const program = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const [root, dieAt] = process.argv.slice(1)
let steps = 0
const step = () => {
  if (steps++ === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
}
for (const name of ['link', 'rename', 'unlink']) {
  const real = fs.promises[name]
  fs.promises[name] = (...given) => (step(), real(...given))
}
const { open } = fs.promises
fs.promises.open = (path, flags, ...rest) => {
  if (flags & fs.constants.O_WRONLY || /w/.test(flags)) step()
  return open(path, flags, ...rest)
}
syncBuiltinESMExports()
const { gitSync } = await import('${sync}')
const done = await gitSync({ root, deployed: false, login: undefined }, { message: 'sync' })
console.log(JSON.stringify({ ...done, steps }))
`

let explorer: Explorer
let git: GitCommand
let remote: GitCommand

beforeEach(async () => {
  explorer = await startExplorer()
  git = gitIn(explorer.root)
  const bare = join(explorer.dir, 'one.git')
  await mkdir(bare)
  remote = gitIn(bare)
  await remote('init', '-q', '--bare', '-b', 'main')
  await beginRepository(explorer, git)
  await git('remote', 'add', 'origin', '../one.git')
  await git('push', '-q', 'origin', 'main')
})
afterEach(() => explorer.close())

interface Synced {
  pushed: boolean
  steps: number
}

/** @returns undefined if the process died */
function syncDyingAt(step: number): Promise<Synced | undefined> {
  const inputs = ['--input-type=module', '-e', program, explorer.root, String(step)]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, inputs, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as Synced)
      else if (error.signal === 'SIGKILL') resolve(undefined)
      else reject(error)
    })
  })
}

async function expectSound() {
  for (const one of [git, remote]) expect(await one('fsck', '--strict', '--no-dangling')).toBe('')
}

async function change(text: string) {
  await explorer.put('a.txt', text)
  await explorer.put(`folder/${text}`, text)
}

it('a sync that is killed between two steps loses nothing, and the next one continues', async () => {
  await change('first')
  const { steps = 0 } = (await syncDyingAt(-1)) ?? {}
  expect(steps).toBeGreaterThan(10)
  // From the first step to the last. A run with other objects may have fewer steps.
  const kills = Array.from({ length: 7 }, (_, i) => Math.floor(((steps - 1) * i) / 6))
  let died = 0
  for (const [i, step] of kills.entries()) {
    const text = `turn-${i}`
    await change(text)
    if ((await syncDyingAt(step)) === undefined) died++
    await expectSound()
    expect(await syncDyingAt(-1)).toMatchObject({ ok: true })
    await expectSound()
    expect(await git('status', '--porcelain')).toBe('')
    expect(await remote('rev-parse', 'main')).toBe(await git('rev-parse', 'main'))
    expect(await remote('show', `main:folder/${text}`)).toBe(text)
    expect(await remote('ls-tree', '-r', '--name-only', 'main')).toContain('folder/first')
  }
  expect(died).toBeGreaterThanOrEqual(6)
}, 300_000)
