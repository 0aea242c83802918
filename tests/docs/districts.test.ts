import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importedDistricts, readDistricts, readmeOf, withDistricts } from './districts.ts'

const districts = await readDistricts()
const imported = await importedDistricts(districts)

it.each(districts)(
  '$name lists all of its nouns, and has a README about them',
  async (district) => {
    const folder = join('shared', district.name)
    const entries = await readdir(folder, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(Object.keys(district.nouns).sort()).toEqual(folders.sort())
    const readme = readmeOf(district, imported.get(district.name) ?? [])
    await expect(readme).toMatchFileSnapshot(`../../${folder}/README.md`)
  },
)

it('the districts cover all of shared, and the architecture draws them as the imports do', async () => {
  const entries = await readdir('shared', { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect(districts.map(({ name }) => name).sort()).toEqual(folders.sort())
  const document = await readFile('docs/design/architecture.md', 'utf8')
  await expect(withDistricts(document, districts, imported)).toMatchFileSnapshot(
    '../../docs/design/architecture.md',
  )
})
