import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { buildProgram } from './programs.ts'

it('a program is one file that finds the files beside its sources, and is kept until a source changes', async () => {
  const root = await mkdtemp(join(tmpdir(), 'programs-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const sources = join(root, 'sources')
  await mkdir(join(sources, 'inner'), { recursive: true })
  await writeFile(join(root, 'package.json'), '{"type":"module"}')
  await writeFile(
    join(sources, 'inner/place.ts'),
    `export const places: string[] = [import.meta.dirname, new URL('../note', import.meta.url).pathname]`,
  )
  const main = (text: string) =>
    writeFile(
      join(sources, 'main.ts'),
      `import { places } from './inner/place.ts'\nprocess.stdout.write([...places, '${text}'].join())`,
    )
  const run = async () => {
    const file = await buildProgram(root, { name: 'example', entry: 'sources/main.ts' })
    const said = execFileSync(process.execPath, [file], { encoding: 'utf8' })
    return { said, builtAt: (await stat(file)).mtimeMs }
  }
  const places = `${join(sources, 'inner')},${join(sources, 'note')}`

  await main('first')
  const first = await run()
  expect(first.said).toBe(`${places},first`)
  expect(await run()).toEqual(first)
  await main('another')
  expect((await run()).said).toBe(`${places},another`)
})
