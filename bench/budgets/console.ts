import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ConsoleFile, ConsoleFiles } from '#stacks/build/console.ts'

/** The maximum gzip size of each page in bytes; the console's plan gives the figures in KB of 1,024 bytes. */
const caps = {
  login: 30 * 1024,
  dashboard: 45 * 1024,
  whole: 150 * 1024,
  reference: 90 * 1024,
  agent: 60 * 1024,
}

/** The growth in bytes that needs no new record in console.json. A larger growth is a decision that its commit shows. */
const tolerance = 1024

type PageName = keyof typeof caps

/** The first pages by the entry of their screen's script. */
const screens = {
  login: 'console/screens/sign-in/entrance.ts',
  dashboard: 'console/screens/dashboard/overview.ts',
} as const

export interface PageSize {
  name: PageName
  gzipBytes: number
  /** The recorded size. */
  baseline: number
  /** The maximum until a larger size is recorded, which is never over the cap. */
  limit: number
  cap: number
  over: boolean
}

/** Returns the scripts and styles that count for a first page's budget. `tests/console/live.test.ts` compares them with what Chromium loads. */
export async function countedFiles(root: string, page: keyof typeof screens): Promise<string[]> {
  const paths = filesOf(await builtFiles(root), screens[page]).map(({ path }) => path)
  return paths.filter((path) => /\.(?:js|css)$/.test(path))
}

/** Returns the sizes of the console's first pages with all their files, of the whole console, of the API reference and of an agent's page, with the committed baseline. */
export async function consoleSizes(root: string): Promise<PageSize[]> {
  const built = await builtFiles(root)
  const baselines = await readJson<Record<PageName, number>>(root, 'bench/budgets/console.json')
  const sizes = {
    login: sizeOf(built, screens.login),
    dashboard: sizeOf(built, screens.dashboard),
    whole: built.files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0),
    reference: await zipped(join(root, 'dist/docs/web.html')),
    agent: await zipped(join(root, 'agent/gateway/page/index.html')),
  }
  return (['login', 'dashboard', 'whole', 'reference', 'agent'] as const).map((name) => {
    const gzipBytes = sizes[name]
    const baseline = baselines[name]
    const cap = caps[name]
    const limit = Math.min(baseline + tolerance, cap)
    return { name, gzipBytes, baseline, limit, cap, over: gzipBytes > limit }
  })
}

const builtFiles = (root: string) => readJson<ConsoleFiles>(root, 'dist/console/files.json')

async function readJson<T>(root: string, path: string): Promise<T> {
  return JSON.parse(await readFile(join(root, path), 'utf8')) as T
}

/** Returns the gzip size of a single-file page. */
async function zipped(path: string): Promise<number> {
  return (await promisify(gzip)(await readFile(path), { level: 9 })).length
}

const sizeOf = (built: ConsoleFiles, screen: string): number =>
  filesOf(built, screen).reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)

/** Returns every file of a screen's first view: the page, its style and pictures, and the scripts of the frame and the screen with their static imports. */
function filesOf({ files, entries }: ConsoleFiles, screen: string): ConsoleFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const scriptsOf = (source: string) => {
    const path = entries[source]
    if (path === undefined) throw new Error(`the console has no script that begins with ${source}`)
    return { path, imports: byPath.get(path)?.imports ?? [] }
  }
  // The page names the frame's own file. The entry only imports it.
  const needed = new Set(scriptsOf('console/main.tsx').imports)
  const own = scriptsOf(screen)
  for (const path of [own.path, ...own.imports]) needed.add(path)
  return files.filter(({ path }) => needed.has(path) || /\.(?:html|css|svg)$/.test(path))
}
