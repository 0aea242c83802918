import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, extname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build, type Metafile, version } from 'esbuild'
import {
  type BuildRecord,
  changedSources,
  describeSource,
  readRecord,
  writeRecord,
} from './cache.ts'
import { loadTogether, oneFileEach } from './console-frame.ts'
import { sharedModules } from './console-shared.ts'
import { importedStyles } from './console-styles.ts'

/** A file of the console, by its path in `dist/console`. */
export interface ConsoleFile {
  path: string
  bytes: number
  /** The size at gzip's best level. */
  gzipBytes: number
  /** The scripts that it imports statically. */
  imports: string[]
}

export interface ConsoleFiles {
  files: ConsoleFile[]
  /** The scripts by their entry, such as `console/screens/keys/keys.tsx`. */
  entries: Record<string, string>
}

/** The frame around every screen. */
const frame = 'console/main.tsx'

/** The first screens that a person sees do not need the shared file. */
const isFirst = /^console\/screens\/(?:sign-in|dashboard)\//

const styles = 'console/styles/main.css'

/** Pictures that the page refers to directly. Others are loaded by scripts. */
const pageAssets = ['favicon.svg']

/** The sources that the bundler does not list. */
const otherSources = [
  'package-lock.json',
  'console/index.html',
  ...pageAssets.map((name) => `console/${name}`),
  ...['console', 'console-frame', 'console-shared', 'console-styles'].map(
    (name) => `stacks/build/${name}.ts`,
  ),
]

/**
 * Builds the console: `index.html`, the files below `assets/`, and `files.json`, which lists them with their sizes.
 * Every name except the page's contains a hash of the content, so a file never changes under its name. Files that are
 * up to date are kept.
 * @param outDir all other files in it are removed
 */
export async function buildConsole(root: string, outDir: string): Promise<ConsoleFiles> {
  const record = await readRecord(outDir, version)
  const existing = await filesOf(outDir, record)
  if (existing !== undefined && (await changedSources(root, record)).size === 0) return existing
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { console: frame, styles },
    outdir: 'assets',
    publicPath: '/assets',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'file' },
    plugins: [
      oneFileEach(root, [
        { modules: [frame], isFor: () => true },
        {
          modules: sharedModules,
          isFor: (path) => path.startsWith('console/screens/') && !isFirst.test(path),
        },
      ]),
      importedStyles(),
    ],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const needed = reachable(metafile)
  const contents = new Map<string, Buffer>(
    outputFiles
      .filter(({ path }) => needed.has(`assets/${basename(path)}`))
      .map(({ path, contents }) => [`assets/${basename(path)}`, Buffer.from(contents)]),
  )
  const own = frameFile(metafile)
  const beside = (path: string) => staticImports(path, metafile).filter((each) => each !== own)
  for (const [path, content] of contents)
    if (extname(path) === '.js')
      contents.set(path, Buffer.from(loadTogether(content.toString(), beside)))

  for (const name of pageAssets) {
    const content = await readFile(join(root, 'console', name))
    contents.set(hashed(name, content), content)
  }
  contents.set('index.html', await page(root, metafile, [...contents.keys()]))

  const list: ConsoleFiles = {
    files: await Promise.all([...contents].map((file) => describe(file, metafile))),
    entries: Object.fromEntries(
      Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
        entryPoint === undefined || !needed.has(path) ? [] : [[entryPoint, path]],
      ),
    ),
  }
  await replaceAll(
    outDir,
    contents.set('files.json', Buffer.from(JSON.stringify(list, undefined, 2))),
  )
  await writeRecord(outDir, await recordOf(root, metafile))
  return list
}

/** Returns the files of the last build; undefined if one is missing. */
async function filesOf(
  outDir: string,
  { bundles }: BuildRecord,
): Promise<ConsoleFiles | undefined> {
  if (bundles.console === undefined) return undefined
  const text = await readFile(join(outDir, 'files.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const list = JSON.parse(text) as ConsoleFiles
  return list.files.every(({ path }) => existsSync(join(outDir, path))) ? list : undefined
}

/** Describes the sources of a build. The lock file stands for the packages. */
async function recordOf(root: string, { inputs }: Metafile): Promise<BuildRecord> {
  const modules = Object.keys(inputs)
    .map((path) => relative(root, resolve(root, path.replace(/^imported-styles:/, ''))))
    .filter((path) => !path.startsWith('node_modules/'))
  const paths = [...modules, ...otherSources]
  const sources = await Promise.all(
    paths.map(async (path) => [path, await describeSource(root, path)] as const),
  )
  return { key: version, sources: Object.fromEntries(sources), bundles: { console: paths } }
}

/**
 * Returns the files that a page can load. The bundler also writes lazily loaded scripts whose import it has removed, as
 * for viem.
 */
function reachable({ outputs }: Metafile): Set<string> {
  const found = new Set<string>()
  const waiting = Object.keys(outputs).filter((path) =>
    [frame, styles].includes(outputs[path]?.entryPoint ?? ''),
  )
  for (const path of waiting) {
    if (found.has(path)) continue
    found.add(path)
    waiting.push(...(outputs[path]?.imports ?? []).map((each) => each.path))
  }
  return found
}

/** Replaces the files while they may be served: each atomically, the page last, and old ones are removed after that. */
async function replaceAll(outDir: string, contents: Map<string, Buffer>): Promise<void> {
  await mkdir(join(outDir, 'assets'), { recursive: true })
  const order = [...contents].sort(
    ([one], [other]) => Number(one === 'index.html') - Number(other === 'index.html'),
  )
  for (const [path, content] of order) {
    const temporary = join(outDir, `${path}.${process.pid}`)
    await writeFile(temporary, content)
    await rename(temporary, join(outDir, path))
  }
  for (const name of await readdir(join(outDir, 'assets')))
    // Another process may remove the same files.
    if (!contents.has(`assets/${name}`) && !/\.\d+$/.test(name))
      await rm(join(outDir, 'assets', name), { force: true })
}

function hashed(name: string, content: Buffer): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase()
  return `assets/${basename(name, extname(name))}-${hash}${extname(name)}`
}

/** Returns the page with the names of the files that it loads. */
async function page(root: string, metafile: Metafile, names: string[]): Promise<Buffer> {
  const named = (pattern: RegExp) => {
    const name = names.find((each) => pattern.test(each))
    if (name === undefined) throw new Error(`the console has no file like ${pattern}`)
    return `/${name}`
  }
  const template = await readFile(join(root, 'console/index.html'), 'utf8')
  return Buffer.from(
    template
      .replace('%script%', `/${frameFile(metafile)}`)
      .replace('%style%', named(/\/styles-\w+\.css$/))
      .replace('%icon%', named(/\/favicon-\w+\.svg$/)),
  )
}

/** Returns the file that contains the frame. The entry file only imports it. */
function frameFile({ outputs }: Metafile): string {
  const found = Object.entries(outputs).find(([, { inputs }]) => inputs[frame] !== undefined)
  if (found === undefined) throw new Error(`no file of the console has ${frame} in it`)
  return found[0]
}

/** Returns the static imports of a script, including indirect ones. */
function staticImports(path: string, { outputs }: Metafile): string[] {
  const found = new Set<string>()
  const look = (at: string) => {
    for (const { path: next, kind } of outputs[at]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(next)) continue
      found.add(next)
      look(next)
    }
  }
  look(path)
  return [...found]
}

async function describe(
  [path, content]: [string, Buffer],
  metafile: Metafile,
): Promise<ConsoleFile> {
  const { length: gzipBytes } = await promisify(gzip)(content, { level: 9 })
  return { path, bytes: content.length, gzipBytes, imports: staticImports(path, metafile) }
}
