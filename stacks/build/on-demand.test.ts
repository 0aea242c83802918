import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryDir } from '../local/testing/harness.ts'
import { openBundles } from './bundle.ts'
import { openOnDemand } from './on-demand.ts'

const names = ['one', 'two', 'three']
const functions = names.map((name) => ({ name, entry: `${name}.ts` }))

let dir: Awaited<ReturnType<typeof temporaryDir>>
let problems: string[]

beforeEach(async () => {
  dir = await temporaryDir()
  problems = []
  await mkdir(join(dir.path, 'shared'))
  await write('shared/greet.ts', "export const greet = (who: string): string => 'hello ' + who")
  for (const name of names)
    await write(
      `${name}.ts`,
      `import { greet } from './shared/greet.ts'\nexport const handler = () => greet('${name}')`,
    )
})
afterEach(() => dir[Symbol.asyncDispose]())

const write = (name: string, text: string) => writeFile(join(dir.path, name), text)
const options = (out = 'dist') => ({ functions, root: dir.path, outDir: join(dir.path, out) })
const open = () => openOnDemand(options(), (name) => void problems.push(name))
const bundleOf = (name: string, out = 'dist') =>
  readFile(join(dir.path, out, name, 'index.cjs'), 'utf8')

describe('bundles on demand', () => {
  test('are the same alone and together, byte for byte', async () => {
    const { ready } = await open()
    await ready('two')
    const { make, stale } = await openBundles(options('together'))
    await make(stale)
    expect(await bundleOf('two')).toBe(await bundleOf('two', 'together'))
  })

  test('are built once under concurrent requests, and then kept', async () => {
    const { ready, rest } = await open()
    const [first, second] = [ready('one'), ready('one')]
    expect(first).toBe(second)
    await Promise.all([first, rest()])
    expect(names.map(ready)).toEqual([undefined, undefined, undefined])
    expect((await open()).stale).toEqual([])
  })

  test('bundles on demand that a killed process left open are built by the next one, and no others', async () => {
    const { ready } = await open()
    await ready('one')
    expect((await open()).stale).toEqual(['two', 'three'])
    // The record has the new text of the shared source with the first bundle that is made from it.
    await (await open()).rest()
    await write('shared/greet.ts', 'export const greet = (who: string): string => `hi ${who}`')
    const next = await open()
    expect(next.stale).toEqual(names)
    await next.ready('one')
    expect((await open()).stale).toEqual(['two', 'three'])
  })

  test('fail separately, and are built once their code compiles', async () => {
    await write('two.ts', 'export const handler = (')
    const { ready, rest } = await open()
    const resting = rest()
    await expect(ready('two')).rejects.toThrow(/two\.ts:1:24/)
    await ready('three')
    await resting
    expect(problems).toEqual(['two'])
    expect([ready('one'), ready('three')]).toEqual([undefined, undefined])
    await write('two.ts', "export const handler = () => 'mended'")
    await ready('two')
    expect(await bundleOf('two')).toContain('mended')
  })
})
