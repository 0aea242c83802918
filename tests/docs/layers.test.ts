import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { wrapped } from './districts.ts'

/** The layers of a folder, lowest first: lint/layers.mjs holds their order. */
interface Layers {
  about: string
  /** Each layer's line, by its folder. */
  layers: Record<string, string>
}

const found = await Promise.all(
  ['console', 'shared', 'tests'].map(async (room) => {
    const paths = await readdir(room, { recursive: true })
    return paths
      .filter((path) => /(?:^|\/)layers\.json$/.test(path))
      .map((path) => join(room, path))
  }),
)

it.each(found.flat())(
  '%s lists all layers of its folder, and its README shows them',
  async (path) => {
    const folder = dirname(path)
    const list = JSON.parse(await readFile(path, 'utf8')) as Layers
    const entries = await readdir(folder, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(Object.keys(list.layers).sort()).toEqual(folders.sort())
    await expect(readmeOf(folder, list)).toMatchFileSnapshot(`../../${folder}/README.md`)
  },
)

function readmeOf(folder: string, { about, layers }: Layers): string {
  const lines = Object.entries(layers).map(([layer, line]) => wrapped(`- \`${layer}\`: ${line}`))
  const parts = [
    `# ${folder.split('/').at(-1)}`,
    wrapped(about),
    'Each layer imports only the layers that this list names before it:',
    lines.join('\n'),
  ]
  return `${parts.join('\n\n')}\n`
}
