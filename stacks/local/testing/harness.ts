import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import { bundleFunctions } from '#stacks/build/bundle.ts'
import { type FunctionHost, type HostOptions, startFunctionHost } from '../functions/host.ts'

export const root = resolve(import.meta.dirname, '../../..')

/** The output of functions, in order. */
export interface Lines {
  all: { name: string; text: string }[]
  add(name: string, text: string): void
  /** Returns the values of `key` in the JSON lines that have it. */
  values<T>(key: string): T[]
}

export function collectLines(): Lines {
  const all: Lines['all'] = []
  return {
    all,
    add: (name, text) => void all.push({ name, text }),
    values: <T>(key: string) =>
      all
        .filter(({ text }) => text.startsWith('{'))
        .map(({ text }) => JSON.parse(text) as Record<string, T>)
        .filter((line) => key in line)
        .map((line) => line[key] as T),
  }
}

/** Creates an empty directory that is removed on dispose. */
export async function temporaryDir(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'local-stack-'))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

export interface Harness extends AsyncDisposable {
  dir: string
  bundles: string
  lines: Lines
  host: FunctionHost
}

/** Bundles fixture functions into a new directory and hosts them. */
export async function startHarness(
  functions: readonly FunctionSpec[],
  environmentOf: (spec: FunctionSpec) => Record<string, string> = () => ({}),
  idleSeconds = 600,
  mode: 'threads' | 'inline' = 'threads',
  database?: HostOptions['database'],
): Promise<Harness> {
  await using cleanup = new AsyncDisposableStack()
  const { path: dir } = cleanup.use(await temporaryDir())
  const bundles = join(dir, 'functions')
  // Fixtures export their handlers themselves; route groups get a carrier.
  const entries = functions.map(({ name, entry, ...rest }) =>
    entry.startsWith('stacks/local/testing/') ? { name, entry } : { name, entry, ...rest },
  )
  await bundleFunctions({ functions: entries, root, outDir: bundles })
  const lines = collectLines()
  const host = await startFunctionHost({
    functions,
    bundles,
    cacheDir: join(dir, 'cache'),
    environmentOf,
    onLine: lines.add,
    idleSeconds,
    mode,
    database,
  })
  cleanup.defer(() => host.close())
  const resources = cleanup.move()
  return { dir, bundles, lines, host, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Waits until a condition holds. Names it in the error if it does not. */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  seconds = 30,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  for (;;) {
    const found = await probe()
    if (found !== undefined && found !== false) return found
    if (Date.now() > deadline) throw new Error(`it did not happen in ${seconds} s: ${what}`)
    await wait(10)
  }
}
