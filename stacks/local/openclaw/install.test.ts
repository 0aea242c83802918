import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root, temporaryDir } from '../testing/harness.ts'
import { installOpenclaw, RuntimeError } from './install.ts'
import { openclawRelease } from './release.ts'

/** A fake npm that creates a folder and a package like npm, with the behaviour that each test adds. */
const npm = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
const [way, log, ...words] = process.argv.slice(2)
appendFileSync(log, words.join(' ') + '\\n')
const project = words[words.indexOf('--prefix') + 1]
const folder = project + '/node_modules/openclaw'
const lock = JSON.parse(readFileSync(project + '/package-lock.json'))
const { dependencies } = JSON.parse(readFileSync(project + '/package.json'))
mkdirSync(folder, { recursive: true })
console.error('npm http fetch GET 200 a package')
if (way === 'offline')
  for (const attempt of [1, 2])
    console.error('npm http fetch GET a package attempt ' + attempt + ' failed with EAI_AGAIN')
if (way === 'fail') { console.error('npm error code ENOTFOUND'); process.exit(1) }
if (way === 'die') process.kill(process.pid, 'SIGKILL')
const { version } = lock.packages['node_modules/openclaw']
if (version !== dependencies.openclaw) process.exit(1)
writeFileSync(folder + '/package.json', JSON.stringify({ version }))
writeFileSync(folder + '/openclaw.mjs', '')
`

let dir: Awaited<ReturnType<typeof temporaryDir>>
let progress: string[]

beforeEach(async () => {
  dir = await temporaryDir()
  progress = []
  await writeFile(join(dir.path, 'npm.mjs'), npm)
})
afterEach(() => dir[Symbol.asyncDispose]())

const place = `openclaw-${openclawRelease}`

const install = (way = 'well', version?: string) =>
  installOpenclaw({
    dir: join(dir.path, 'runtimes'),
    npm: [process.execPath, join(dir.path, 'npm.mjs'), way, join(dir.path, 'log')],
    ...(version !== undefined && { version }),
    onProgress: (what) => void progress.push(what),
  })
const calls = async () => (await readFile(join(dir.path, 'log'), 'utf8')).trim().split('\n')
const there = () => readdir(join(dir.path, 'runtimes'))

test('OpenClaw is downloaded once, at its locked version, and runs no install script', async () => {
  const program = await install()
  expect(program).toBe(join(dir.path, 'runtimes', place, 'node_modules/openclaw/openclaw.mjs'))
  expect(await there()).toEqual([place])
  expect(progress[0]).toContain('about 650 MB')
  expect(progress.at(-1)).toMatch(/^OpenClaw [\d.]+ is installed after \d+ s/)
  progress = []
  expect(await install()).toBe(program)
  expect(progress).toEqual([])
  expect(await calls()).toEqual([expect.stringMatching(/^ci --prefix \S+ .*--ignore-scripts/)])
})

test.each(['fail', 'die'])(
  'leaves nothing if npm does %s, and is downloaded the next time',
  async (way) => {
    const failed = install(way)
    await expect(failed).rejects.toBeInstanceOf(RuntimeError)
    await expect(failed).rejects.toThrow('AGENT_RUNTIME=embedded')
    if (way === 'fail') await expect(failed).rejects.toThrow('ENOTFOUND')
    expect(await there()).toEqual([])
    await install()
    expect(await there()).toEqual([place])
  },
)

test('reports once if the registry is unavailable', async () => {
  await install('offline')
  expect(progress.filter((what) => what.includes('EAI_AGAIN'))).toEqual([
    'OpenClaw: cannot reach the npm registry (EAI_AGAIN); npm retries for some minutes',
  ])
})

test('ignores the leftovers of a killed start', async () => {
  await mkdir(join(dir.path, 'runtimes/.openclaw-abc/node_modules/openclaw'), { recursive: true })
  await install()
  expect(await there()).toEqual([place])
})

test('OpenClaw is not installed in another release', async () => {
  await expect(install('well', '2026.1.2')).rejects.toThrow(
    'does not contain OpenClaw 2026.1.2; remove it',
  )
})

test('reports a missing npm', async () => {
  const missing = installOpenclaw({ dir: dir.path, npm: [join(dir.path, 'none')] })
  await expect(missing).rejects.toThrow(/could not be installed with .*ENOENT/s)
})

test('the release of OpenClaw is the same for the image, the agent and this machine', async () => {
  const texts = await Promise.all(
    [
      'stacks/local/openclaw/lock/package.json',
      'agent/openclaw/version.ts',
      'agent/image/Dockerfile',
    ].map((path) => readFile(join(root, path), 'utf8')),
  )
  for (const text of texts) expect(text).toContain(openclawRelease)
})
