import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { build, type Metafile, type OutputFile, stop, version } from 'esbuild'
import {
  type BuildRecord,
  changedSources,
  describeSource,
  readRecord,
  writeRecord,
} from './cache.ts'
import { type Carriage, lambda } from './carriage.ts'
import { type Entry, entryModules, entryPoint } from './entry.ts'

export interface BundleOptions {
  functions: readonly Entry[]
  /** The directory that entries are relative to. */
  root: string
  /** Gets a folder a function, with its bundle in it, and loses every other. */
  outDir: string
  /** Lambda unless another is given. */
  carriage?: Carriage
}

export interface BundleResult {
  /** Names of the functions whose bundles were made anew; the others were still good. */
  built: string[]
}

/**
 * Bundles every function into one file, only those whose sources changed since the last time.
 * @throws Error that names the entry which is missing, or says where the code does not compile
 */
export async function bundleFunctions(options: BundleOptions): Promise<BundleResult> {
  const { functions, root, outDir, carriage = lambda } = options
  const missing = functions.filter(({ entry }) => !existsSync(join(root, entry)))
  if (missing.length > 0)
    throw new Error(
      missing.map(({ name, entry }) => `${entry}: the entry of ${name} is missing`).join('\n'),
    )
  await mkdir(outDir, { recursive: true })
  const record = await readRecord(outDir, await buildKey(root, functions, carriage))
  const changed = await changedSources(root, record)
  const stale = functions.filter(({ name, entry }) => {
    const sources = record.bundles[name]
    return (
      !sources?.includes(entry) ||
      sources.some((source) => changed.has(source)) ||
      !existsSync(join(outDir, name, carriage.file))
    )
  })
  await removeOthers(outDir, new Set(functions.map(({ name }) => name)))
  if (stale.length === 0) return { built: [] }
  const { metafile, outputFiles } = await build({
    ...carriage.options,
    write: false,
    absWorkingDir: root,
    outdir: outDir,
    outExtension: { '.js': extname(carriage.file) },
    entryPoints: stale.map((each) => ({ in: entryPoint(each), out: join(each.name, 'index') })),
    plugins: [entryModules(stale, root, carriage.moduleOf)],
  })
  // Its process would otherwise stay for as long as this one.
  await stop()
  await Promise.all(outputFiles.map(writeWhole))
  await writeRecord(outDir, await updateRecord(root, record, stale, metafile))
  return { built: stale.map(({ name }) => name) }
}

/** Bundles also depend on how they are made, on their carriers and on which packages are installed. */
async function buildKey(
  root: string,
  functions: readonly Entry[],
  { options, moduleOf }: Carriage,
): Promise<string> {
  const lock = await readFile(join(root, 'package-lock.json')).catch(() => '')
  return createHash('sha256')
    .update(JSON.stringify([options, version, functions.map(moduleOf)]))
    .update(lock)
    .digest('hex')
}

async function updateRecord(
  root: string,
  record: BuildRecord,
  stale: BundleOptions['functions'],
  metafile: Metafile,
): Promise<BuildRecord> {
  const bundles = { ...record.bundles }
  for (const each of stale) {
    const { name, entry } = each
    const output = Object.values(metafile.outputs).find(
      (one) => one.entryPoint === `function:${entryPoint(each)}`,
    )
    bundles[name] = Object.keys(output?.inputs ?? {}).filter(
      (path) => !path.startsWith('function:'),
    )
    if (!bundles[name].includes(entry)) bundles[name].push(entry)
  }
  const paths = [...new Set(Object.values(bundles).flat())]
  const sources = await Promise.all(
    paths.map(async (path) => [path, await describeSource(root, path)] as const),
  )
  return { key: record.key, sources: Object.fromEntries(sources), bundles }
}

/** A bundle appears whole or not at all: it may be loaded while it is made. */
async function writeWhole({ path, contents }: OutputFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, contents)
  await rename(temporary, path)
}

async function removeOthers(outDir: string, names: ReadonlySet<string>): Promise<void> {
  const entries = await readdir(outDir, { withFileTypes: true })
  const others = entries.filter((entry) => entry.isDirectory() && !names.has(entry.name))
  await Promise.all(others.map(({ name }) => rm(join(outDir, name), { recursive: true })))
}
