import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

interface Entry {
  version?: string
  integrity?: string
  resolved?: string
  /** Part of another package, whose hash covers it too. */
  inBundle?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/**
 * Entries without a hash, each with its reason. npm still installs them by their exact version.
 *
 * In every release, the registry of the lock file has anvil for Linux on x64 only. The other builds serve tests on
 * other machines, and are part of no deployment.
 */
const unhashed = [
  'node_modules/@foundry-rs/anvil-darwin-amd64',
  'node_modules/@foundry-rs/anvil-darwin-arm64',
  'node_modules/@foundry-rs/anvil-linux-arm64',
  'node_modules/@foundry-rs/anvil-win32-amd64',
]

const locks = [
  { file: 'package-lock.json', least: 100, without: unhashed },
  { file: 'stacks/local/openclaw/lock/package-lock.json', least: 100, without: [] },
  { file: 'agent/package-lock.json', least: 5, without: [] },
  { file: 'tests/openapi/package-lock.json', least: 100, without: [] },
  { file: 'tests/programs/package-lock.json', least: 5, without: [] },
  { file: 'tests/runtime/client/package-lock.json', least: 50, without: [] },
]

describe.each(locks)('$file', ({ file, least, without }) => {
  const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
    packages: Record<string, Entry>
  }
  const entries = Object.entries(packages).filter(([place]) => place !== '')

  it('has the SHA-512 of every package, for every platform', () => {
    expect(entries.length).toBeGreaterThanOrEqual(least)
    const bare = entries
      .filter(([, { inBundle }]) => inBundle !== true)
      .filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
      .map(([place]) => place)
    expect(bare).toEqual(without)
  })

  it('has every package that one of them may require on another platform', () => {
    const places = new Set(Object.keys(packages))
    const missing = entries.flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isThere(places, place, name)),
    )
    expect(missing).toEqual([])
  })

  it('names no registry', () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})

describe('package.json', () => {
  const { dependencies, devDependencies, optionalDependencies, overrides } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>

  it('has one version of each package, not a range', () => {
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides }
    const ranges = Object.entries(all).filter(
      ([, version]) => !/^(?:npm:[\w@/-]+@)?\d+\.\d+\.\d+$/.test(version),
    )
    expect(ranges).toEqual([])
  })
})

describe('agent/package.json', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const { dependencies } = read('agent/package.json') as { dependencies: Record<string, string> }

  it('has the versions with which the agent is tested', () => {
    expect(read('package.json').dependencies).toMatchObject(dependencies)
    const { packages } = read('agent/package-lock.json')
    expect(packages['']).toMatchObject({ dependencies })
  })

  it('lists exactly the imports of the image’s programs', () => {
    const files = readdirSync(join(root, 'agent'), { recursive: true, encoding: 'utf8' })
    const source = files
      .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|testing\//.test(file))
      .map((file) => readFileSync(join(root, 'agent', file), 'utf8'))
      .join()
    const imported = source.matchAll(/(?:from |import\()'((?:@[\w-]+\/)?\w[\w-]*)/g)
    const names = new Set(Array.from(imported, ([, name]) => name))
    expect([...names].filter((name) => name !== 'node').sort()).toEqual(
      Object.keys(dependencies).sort(),
    )
  })
})

/** Returns whether Node would find a package from another package's folder. */
function isThere(places: ReadonlySet<string>, from: string, name: string): boolean {
  for (let folder = from; ; folder = parentOf(folder)) {
    if (places.has(folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`))
      return true
    if (folder === '') return false
  }
}

/** Returns the package whose folder contains this package; empty for the project itself. */
function parentOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))
}
