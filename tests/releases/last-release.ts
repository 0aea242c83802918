import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Where the last release is made. */
const folder = join(root, 'dist/last-release')

async function git(...args: string[]): Promise<string | undefined> {
  const { stdout } = await run('git', args, { cwd: root }).catch(() => ({ stdout: '' }))
  return stdout.trim() || undefined
}

/** The commit of the last release, or why there is none to build from. */
export async function lastRelease(): Promise<{ commit: string } | { missing: string }> {
  const file = join(root, 'tests/releases/last.json')
  const recorded = JSON.parse(await readFile(file, 'utf8')) as { commit?: string }
  const named = process.env['LAST_RELEASE'] ?? recorded.commit
  if (named === undefined)
    return { missing: 'npm run release:record has noted no commit, and LAST_RELEASE names none' }
  const commit = await git('rev-parse', '--verify', '--quiet', `${named}^{commit}`)
  return commit === undefined ? { missing: `this clone does not have ${named}` } : { commit }
}

/** Builds the functions of a commit by its own build, with the packages that it locks. @returns the folder of their bundles */
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
 * Makes a folder of bundles of both releases. A function that the last one does not have is this one's.
 * @param isToday whether a function was moved to this release
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
