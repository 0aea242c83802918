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
import {
  type Entry,
  entryModules,
  entryPoint,
  partName,
  partPoint,
  separateParts,
} from './entry.ts'

export interface BundleOptions {
  functions: readonly Entry[]
  /** The folder that entries are relative to. */
  root: string
  /** Receives one folder per function with its bundle. All other folders are removed. */
  outDir: string
  /** Default: Lambda. */
  carriage?: Carriage
  /** Called with the number of functions before they are bundled; not called if all bundles are up to date. */
  onBundling?: ((functions: number) => void) | undefined
}

export interface BundleResult {
  /** The names of the functions that were bundled; all other bundles were up to date. */
  built: string[]
}

/**
 * Bundles every function into one file. Only bundles whose sources have changed are rebuilt.
 * @throws Error that names a missing entry, or the place where the code does not compile
 */
export async function bundleFunctions(options: BundleOptions): Promise<BundleResult> {
  const { functions, root, outDir, carriage = lambda, onBundling } = options
  const missing = functions.filter(({ entry }) => !existsSync(join(root, entry)))
  if (missing.length > 0)
    throw new Error(
      missing.map(({ name, entry }) => `${entry}: the entry of ${name} is missing`).join('\n'),
    )
  await mkdir(outDir, { recursive: true })
  const record = await readRecord(outDir, await buildKey(root, functions, carriage))
  const changed = await changedSources(root, record)
  const stale = functions.filter((each) => {
    const { name, entry } = each
    const sources = record.bundles[name]
    const files = filesOf(each, carriage)
    return (
      !sources?.includes(entry) ||
      sources.some((source) => changed.has(source)) ||
      files.some((file) => !existsSync(join(outDir, name, file)))
    )
  })
  await removeOthers(outDir, new Set(functions.map(({ name }) => name)))
  if (stale.length === 0) return { built: [] }
  onBundling?.(stale.length)
  const { metafile, outputFiles } = await build({
    ...carriage.options,
    write: false,
    absWorkingDir: root,
    outdir: outDir,
    outExtension: { '.js': extname(carriage.file) },
    entryPoints: stale.flatMap((each) => [
      { in: entryPoint(each), out: join(each.name, 'index') },
      ...partsOf(each, carriage).map((part) => ({
        in: partPoint(part),
        out: join(each.name, partName(part)),
      })),
    ]),
    plugins: [
      entryModules(stale, root, carriage.moduleOf),
      ...(carriage.separate ? [separateParts(stale, extname(carriage.file))] : []),
    ],
  })
  // The bundler's process would otherwise run as long as this one.
  await stop()
  await Promise.all(outputFiles.map(writeWhole))
  await writeRecord(outDir, await updateRecord(root, record, stale, metafile))
  return { built: stale.map(({ name }) => name) }
}

function partsOf({ parts = [] }: Entry, { separate }: Carriage): readonly string[] {
  return separate ? parts : []
}

function filesOf(each: Entry, carriage: Carriage): string[] {
  const extension = extname(carriage.file)
  return [carriage.file, ...partsOf(each, carriage).map((part) => partName(part) + extension)]
}

/** Returns a hash of everything besides the sources: the build's own code, the carriers and the installed packages. */
async function buildKey(
  root: string,
  functions: readonly Entry[],
  { options, moduleOf }: Carriage,
): Promise<string> {
  const lock = await readFile(join(root, 'package-lock.json')).catch(() => '')
  return createHash('sha256')
    .update(
      JSON.stringify([options, version, functions.map((each) => [moduleOf(each), each.parts])]),
    )
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
    const { name, entry, parts = [] } = each
    const points = new Set([
      `function:${entryPoint(each)}`,
      ...parts.map((part) => `part:${partPoint(part)}`),
    ])
    const inputs = Object.values(metafile.outputs)
      .filter((one) => points.has(one.entryPoint ?? ''))
      .flatMap((one) => Object.keys(one.inputs))
    bundles[name] = [...new Set(inputs)].filter((path) => !/^(?:function|part):/.test(path))
    if (!bundles[name].includes(entry)) bundles[name].push(entry)
  }
  const paths = [...new Set(Object.values(bundles).flat())]
  const sources = await Promise.all(
    paths.map(async (path) => [path, await describeSource(root, path)] as const),
  )
  return { key: record.key, sources: Object.fromEntries(sources), bundles }
}

/** Writes a file atomically, because a bundle may be loaded during a build. */
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
