import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ConsoleFile, ConsoleFiles } from '../../stacks/build/console.ts'

/** Bytes, as gzip makes them, that no page may pass; figures of the console's plan, in KB of 1,024. */
const caps = {
  login: 30 * 1024,
  dashboard: 45 * 1024,
  whole: 150 * 1024,
  reference: 90 * 1024,
  agent: 60 * 1024,
}

/** What a page may have grown by since the baseline was last committed, so that growth is seen where it begins. */
const tolerance = 1024

type PageName = keyof typeof caps

/** The first pages, by the source that the script of their screens begins with. */
const screens = {
  login: 'console/screens/sign-in/entrance.ts',
  dashboard: 'console/screens/dashboard/overview.ts',
} as const

export interface PageSize {
  name: PageName
  gzipBytes: number
  baseline: number
  cap: number
  over: boolean
}

/** Paths of the scripts and styles that the budget of a first page counts. `tests/console/live.test.ts` holds them against what Chromium loads. */
export async function countedFiles(root: string, page: keyof typeof screens): Promise<string[]> {
  const paths = filesOf(await builtFiles(root), screens[page]).map(({ path }) => path)
  return paths.filter((path) => /\.(?:js|css)$/.test(path))
}

/** The sizes of the console's first pages, with all files that they load, of the whole, of the API reference and of an agent's own page, beside the committed baseline. */
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
    const over = gzipBytes > Math.min(baseline + tolerance, caps[name])
    return { name, gzipBytes, baseline, cap: caps[name], over }
  })
}

const builtFiles = (root: string) => readJson<ConsoleFiles>(root, 'dist/console/files.json')

async function readJson<T>(root: string, path: string): Promise<T> {
  return JSON.parse(await readFile(join(root, path), 'utf8')) as T
}

/** A page of one file. */
async function zipped(path: string): Promise<number> {
  return (await promisify(gzip)(await readFile(path), { level: 9 })).length
}

const sizeOf = (built: ConsoleFiles, screen: string): number =>
  filesOf(built, screen).reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)

/** Every file that a screen's first sight loads: the page, its style and pictures, and the scripts of the frame and of the screen with all that they import at once. */
function filesOf({ files, entries }: ConsoleFiles, screen: string): ConsoleFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const scriptsOf = (source: string) => {
    const path = entries[source]
    if (path === undefined) throw new Error(`the console has no script that begins with ${source}`)
    return { path, imports: byPath.get(path)?.imports ?? [] }
  }
  // The page names the frame's own file; the entry only imports it.
  const needed = new Set(scriptsOf('console/main.tsx').imports)
  const own = scriptsOf(screen)
  for (const path of [own.path, ...own.imports]) needed.add(path)
  return files.filter(({ path }) => needed.has(path) || /\.(?:html|css|svg)$/.test(path))
}
