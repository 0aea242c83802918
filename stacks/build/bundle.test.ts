import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryDir } from '../local/testing/harness.ts'
import { bundleFunctions } from './bundle.ts'

const functions = [
  { name: 'one', entry: 'one.ts' },
  { name: 'two', entry: 'two.ts' },
]

let dir: Awaited<ReturnType<typeof temporaryDir>>
let outDir: string

beforeEach(async () => {
  dir = await temporaryDir()
  outDir = join(dir.path, 'dist')
  await mkdir(join(dir.path, 'shared'))
  await write('shared/greet.ts', "export const greet = (who: string): string => 'hello ' + who")
  await write(
    'one.ts',
    "import { greet } from './shared/greet.ts'\nexport const handler = () => greet('one')",
  )
  await write('two.ts', "export const handler = () => 'two'")
})
afterEach(() => dir[Symbol.asyncDispose]())
afterEach(() => vi.unstubAllEnvs())

const write = (name: string, text: string) => writeFile(join(dir.path, name), text)
const bundle = (which = functions) => bundleFunctions({ functions: which, root: dir.path, outDir })
const bundleFile = (name: string) => join(outDir, name, 'index.cjs')

async function run(name: string): Promise<string> {
  const require = createRequire(import.meta.url)
  delete require.cache[bundleFile(name)]
  return (require(bundleFile(name)) as { handler: () => string }).handler()
}

describe('bundling', () => {
  test('creates one minified CommonJS file per function', async () => {
    expect(await bundle()).toEqual({ built: ['one', 'two'] })
    expect([await run('one'), await run('two')]).toEqual(['hello one', 'two'])
    expect((await readFile(bundleFile('two'), 'utf8')).split('\n').length).toBeLessThan(4)
  })

  test('keeps unchanged bundles', async () => {
    await bundle()
    expect(await bundle()).toEqual({ built: [] })
    const later = new Date(Date.now() + 60_000)
    await utimes(join(dir.path, 'one.ts'), later, later)
    expect(await bundle()).toEqual({ built: [] })
  })

  test('rebuilds exactly the bundles of a changed file', async () => {
    await bundle()
    const before = await stat(bundleFile('two'))
    await write('shared/greet.ts', 'export const greet = (who: string): string => `hi ${who}`')
    expect(await bundle()).toEqual({ built: ['one'] })
    expect(await run('one')).toBe('hi one')
    expect((await stat(bundleFile('two'))).mtimeMs).toBe(before.mtimeMs)
    expect(await bundle()).toEqual({ built: [] })
  })

  test('rebuilds the bundles of a file that was changed during their build', async () => {
    const later = new Date(Date.now() + 60_000)
    await utimes(join(dir.path, 'one.ts'), later, later)
    await bundle()
    expect(await bundle()).toEqual({ built: ['one'] })
  })

  test('rebuilds missing bundles, and all after a change of a package', async () => {
    await bundle()
    await rm(bundleFile('two'))
    expect(await bundle()).toEqual({ built: ['two'] })
    await write('package-lock.json', '{"changed":true}')
    expect(await bundle()).toEqual({ built: ['one', 'two'] })
  })

  test('removes the bundle of a removed function', async () => {
    await bundle()
    await bundle(functions.slice(0, 1))
    await expect(stat(bundleFile('two'))).rejects.toThrow('ENOENT')
  })

  test('names a missing entry', async () => {
    const missing = [...functions, { name: 'three', entry: 'jobs/three.ts' }]
    await expect(bundle(missing)).rejects.toThrow('jobs/three.ts: the entry of three is missing')
  })

  test('reports the place of a syntax error, and builds once it is fixed', async () => {
    await bundle()
    await write('two.ts', 'export const handler = (')
    await expect(bundle()).rejects.toThrow(/two\.ts:1:24/)
    await write('two.ts', "export const handler = () => 'mended'")
    expect(await bundle()).toEqual({ built: ['two'] })
    expect(await run('two')).toBe('mended')
  })

  test('excludes a part until it is imported, and rebuilds it with its imports', async () => {
    await write('package.json', '{"imports":{"#heavy":"./heavy.ts"}}')
    await write(
      'heavy.ts',
      "import { greet } from './shared/greet.ts'\nexport const say = () => greet('part')",
    )
    await write('one.ts', "export const handler = async () => (await import('#heavy')).say()")
    const parted = [{ name: 'one', entry: 'one.ts', parts: ['#heavy'] }]
    const made = () => bundleFunctions({ functions: parted, root: dir.path, outDir })
    expect(await made()).toEqual({ built: ['one'] })
    const part = join(outDir, 'one', 'heavy.cjs')
    expect(await readFile(bundleFile('one'), 'utf8')).not.toContain('hello')
    expect(await readFile(part, 'utf8')).toContain('hello')
    expect(await run('one')).toBe('hello part')
    expect(await made()).toEqual({ built: [] })
    await write('shared/greet.ts', 'export const greet = (who: string): string => `hi ${who}`')
    expect(await made()).toEqual({ built: ['one'] })
    expect(await readFile(part, 'utf8')).toContain('hi ')
    await rm(part)
    expect(await made()).toEqual({ built: ['one'] })
  })

  test('configures the AWS SDK to read credentials only from the environment', async () => {
    await write(
      'one.ts',
      "import { defaultProvider } from '@aws-sdk/credential-provider-node'\nexport const handler = () => defaultProvider()()",
    )
    await bundle()
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
    expect(await run('one')).toMatchObject({ accessKeyId: 'AKIAEXAMPLE' })
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined)
    await expect(run('one')).rejects.toThrow('Unable to find environment variable credentials')
  })
})
