import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { build, type Metafile, type OutputFile, version } from 'esbuild'
import { type BundleTarget, lambda } from './bundle-target.ts'
import {
  type BuildRecord,
  changedSources,
  describeSource,
  readRecord,
  writeRecord,
} from './cache.ts'
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
  /** Gets one folder for each function, with its bundle. Other folders are removed. */
  outDir: string
  /** Default: Lambda. */
  carriage?: BundleTarget
}

/** The bundles of a set of functions. Bundles whose sources did not change are kept. */
export interface Bundles {
  /** The functions whose bundles are missing or older than their sources. */
  readonly stale: readonly string[]
  /**
   * Bundles some of the functions. A function has the same bundle alone and with others, byte for byte.
   * @throws Error with the place where the code does not compile
   */
  make(names: readonly string[]): Promise<void>
}

/** Compares the bundles with their sources. @throws Error that names a missing entry */
export async function openBundles(options: BundleOptions): Promise<Bundles> {
  const { functions, root, outDir, carriage = lambda } = options
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
  // The new state of a source is recorded with its first bundle. Until then, older bundles must not count as current.
  for (const { name } of stale) delete record.bundles[name]
  let writing = Promise.resolve()

  return {
    stale: stale.map(({ name }) => name),
    async make(names) {
      const chosen = stale.filter(({ name }) => names.includes(name))
      if (chosen.length === 0) return
      const startedAt = Date.now()
      const { metafile, outputFiles } = await build({
        ...carriage.options,
        write: false,
        absWorkingDir: root,
        outdir: outDir,
        outExtension: { '.js': extname(carriage.file) },
        entryPoints: chosen.flatMap((each) => [
          { in: entryPoint(each), out: join(each.name, 'index') },
          ...partsOf(each, carriage).map((part) => ({
            in: partPoint(part),
            out: join(each.name, partName(part)),
          })),
        ]),
        plugins: [
          ...(carriage.options.plugins ?? []),
          entryModules(chosen, root, carriage.moduleOf),
          ...(carriage.separate ? [separateParts(chosen, extname(carriage.file))] : []),
        ],
      })
      await Promise.all(outputFiles.map(writeWhole))
      const update = async () => {
        await addToRecord(record, { root, made: chosen, metafile, startedAt })
        await writeRecord(outDir, record)
      }
      await (writing = writing.then(update, update))
    },
  }
}

/** Bundles every function whose sources changed. @returns their names @throws as `openBundles` and `make` do */
export async function bundleFunctions(options: BundleOptions): Promise<{ built: string[] }> {
  const { stale, make } = await openBundles(options)
  await make(stale)
  return { built: [...stale] }
}

function partsOf({ parts = [] }: Entry, { separate }: BundleTarget): readonly string[] {
  return separate ? parts : []
}

function filesOf(each: Entry, carriage: BundleTarget): string[] {
  const extension = extname(carriage.file)
  return [carriage.file, ...partsOf(each, carriage).map((part) => partName(part) + extension)]
}

/** Returns a hash of everything besides the sources: the build's own code, the carriers and the installed packages. */
async function buildKey(
  root: string,
  functions: readonly Entry[],
  { options, moduleOf }: BundleTarget,
): Promise<string> {
  const lock = await readFile(join(root, 'package-lock.json')).catch(() => '')
  return createHash('sha256')
    .update(
      JSON.stringify([options, version, functions.map((each) => [moduleOf(each), each.parts])]),
    )
    .update(lock)
    .digest('hex')
}

async function addToRecord(
  record: BuildRecord,
  {
    root,
    made,
    metafile,
    startedAt,
  }: { root: string; made: readonly Entry[]; metafile: Metafile; startedAt: number },
): Promise<void> {
  const added = new Set<string>()
  for (const each of made) {
    const { name, entry, parts = [] } = each
    const points = new Set([
      `function:${entryPoint(each)}`,
      ...parts.map((part) => `part:${partPoint(part)}`),
    ])
    const inputs = Object.values(metafile.outputs)
      .filter((one) => points.has(one.entryPoint ?? ''))
      .flatMap((one) => Object.keys(one.inputs))
      .filter((path) => !/^(?:function|part):/.test(path))
    const sources = new Set([entry, ...inputs])
    record.bundles[name] = [...sources]
    for (const path of sources) added.add(path)
  }
  await Promise.all(
    [...added].map(async (path) => {
      const source = await describeSource(root, path)
      // A source that was changed during the build can be newer than its bundle: the next build makes it again.
      const isOlder = Math.floor(source.mtimeMs) <= startedAt
      record.sources[path] = isOlder ? source : { ...source, mtimeMs: 0, hash: '' }
    }),
  )
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
