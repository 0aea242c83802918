import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The build folder of the last release. */
const folder = join(root, 'dist/last-release')

async function git(...args: string[]): Promise<string | undefined> {
  const { stdout } = await run('git', args, { cwd: root }).catch(() => ({ stdout: '' }))
  return stdout.trim() || undefined
}

/**
 * Returns the commit of the last release, or the reason why it cannot be built.
 * @param named replaces the recorded commit
 * @throws Error if the clone does not contain the named commit
 */
export async function lastRelease(
  named = process.env['LAST_RELEASE'],
): Promise<{ commit: string } | { missing: string }> {
  const file = join(root, 'tests/releases/last.json')
  const recorded = JSON.parse(await readFile(file, 'utf8')) as { commit?: string }
  const wanted = named ?? recorded.commit
  if (wanted === undefined)
    return {
      missing: 'npm run release:record has noted no commit, and LAST_RELEASE names none',
    }
  const commit = await git('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`)
  if (commit !== undefined) return { commit }
  const missing = `this clone does not have ${wanted}; \`git fetch --unshallow\` fetches the rest of a shallow clone`
  if (named !== undefined) throw new Error(missing)
  return { missing }
}

/**
 * Builds the functions of a commit with its own build script and its locked packages.
 * @returns the folder of their bundles
 */
export async function buildRelease(commit: string): Promise<string> {
  const tree = join(folder, commit)
  const bundles = join(tree, 'dist/functions')
  await rm(tree, { recursive: true, force: true })
  await mkdir(tree, { recursive: true })
  const archive = join(folder, `${commit}.tar`)
  await run('git', ['archive', '--output', archive, commit], { cwd: root })
  await run('tar', ['xf', archive, '-C', tree])
  await rm(archive)
  const lock = 'package-lock.json'
  const [own, theirs] = await Promise.all(
    [root, tree].map((each) => readFile(join(each, lock), 'utf8')),
  )
  if (own === theirs) await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: tree })
  await run(process.execPath, ['stacks/build/main.ts'], {
    cwd: tree,
    maxBuffer: 64 * 1024 * 1024,
  })
  return bundles
}

/**
 * Creates a folder with bundles of both releases. A function that the last release does not have comes from this
 * release.
 * @param isToday returns true for a function that has moved to this release
 */
export async function mixture(
  folder: string,
  bundles: { last: string; today: string },
  isToday: (name: string) => boolean,
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const old = new Set(await readdir(bundles.last))
  for (const name of await readdir(bundles.today)) {
    const from = isToday(name) || !old.has(name) ? bundles.today : bundles.last
    await cp(join(from, name), join(folder, name), { recursive: true })
  }
}
