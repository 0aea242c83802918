import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build, type Metafile, stop } from 'esbuild'
import { loadTogether, oneFileEach } from './console-frame.ts'
import { importedStyles } from './console-styles.ts'

/** A file of the console, by its path within `dist/console`. */
export interface ConsoleFile {
  path: string
  bytes: number
  /** As gzip's best makes it. */
  gzipBytes: number
  /** What a page needs with it: the scripts that it imports at once. */
  imports: string[]
}

export interface ConsoleFiles {
  files: ConsoleFile[]
  /** Scripts by the source that they begin with, `console/screens/keys/keys.tsx`. */
  entries: Record<string, string>
}

/** What stands around every screen. */
const frame = 'console/main.tsx'

/** What many screens share beyond it, in a file that comes together with theirs. */
const shared = 'console/ui/shared.ts'

/** The screens that a person sees first do without it. */
const isFirst = /^console\/screens\/(?:sign-in|dashboard)\//

const styles = 'console/styles/main.css'

/** Pictures that the page itself names; others come through the scripts. */
const pageAssets = ['favicon.svg']

/**
 * Makes the console's files: `index.html`, what is below `assets/`, and `files.json`, which lists them with their sizes.
 * All names but the page's carry a hash of the content, so that no file under a name ever changes.
 * @param outDir keeps nothing else
 */
export async function buildConsole(root: string, outDir: string): Promise<ConsoleFiles> {
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
        { path: frame, isFor: () => true },
        {
          path: shared,
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
  await stop()
  const needed = reachable(metafile)
  const contents = new Map<string, Buffer>(
    outputFiles
      .filter(({ path }) => needed.has(`assets/${basename(path)}`))
      .map(({ path, contents }) => [`assets/${basename(path)}`, Buffer.from(contents)]),
  )
  const own = frameFile(metafile)
  const beside = (path: string) => atOnce(path, metafile).filter((each) => each !== own)
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
  return list
}

/**
 * What a page may ask for. The bundler also writes scripts that only code would load which it has left out: viem's have
 * such.
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

/** A file appears whole or not at all and stays while it is wanted, because the folder may be served meanwhile; the page comes last. */
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
    // Another process may be in the middle of the same.
    if (!contents.has(`assets/${name}`) && !/\.\d+$/.test(name))
      await rm(join(outDir, 'assets', name), { force: true })
}

function hashed(name: string, content: Buffer): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase()
  return `assets/${basename(name, extname(name))}-${hash}${extname(name)}`
}

/** The page with the names of the files that it loads. */
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

/** The file that has the frame in it: what is named as the entry only imports it. */
function frameFile({ outputs }: Metafile): string {
  const found = Object.entries(outputs).find(([, { inputs }]) => inputs[frame] !== undefined)
  if (found === undefined) throw new Error(`no file of the console has ${frame} in it`)
  return found[0]
}

/** The scripts that one imports before it runs, and those that they import. */
function atOnce(path: string, { outputs }: Metafile): string[] {
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
  return { path, bytes: content.length, gzipBytes, imports: atOnce(path, metafile) }
}
