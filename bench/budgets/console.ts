import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ConsoleFiles } from '../../stacks/build/console.ts'

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

const screens = {
  login: 'console/screens/sign-in/sign-in.tsx',
  dashboard: 'console/screens/dashboard/dashboard.tsx',
} as const

export interface PageSize {
  name: PageName
  gzipBytes: number
  baseline: number
  cap: number
  over: boolean
}

/** The sizes of the console's first pages, with all files that they load, of the whole, of the API reference and of an agent's own page, beside the committed baseline. */
export async function consoleSizes(root: string): Promise<PageSize[]> {
  const read = async <T>(path: string) => JSON.parse(await readFile(join(root, path), 'utf8')) as T
  const built = await read<ConsoleFiles>('dist/console/files.json')
  const baselines = await read<Record<PageName, number>>('bench/budgets/console.json')
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

/** A page of one file. */
async function zipped(path: string): Promise<number> {
  return (await promisify(gzip)(await readFile(path), { level: 9 })).length
}

/** Everything that a screen's first sight loads: the page, its style and pictures, the frame's scripts and its own. */
function sizeOf({ files, entries }: ConsoleFiles, screen: string): number {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const needed = new Set<string>()
  for (const source of ['console/main.tsx', screen]) {
    const path = entries[source]
    if (path === undefined) throw new Error(`the console has no script that begins with ${source}`)
    needed.add(path)
    for (const imported of byPath.get(path)?.imports ?? []) needed.add(imported)
  }
  return files
    .filter(({ path }) => needed.has(path) || /\.(?:html|css|svg)$/.test(path))
    .reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)
}
