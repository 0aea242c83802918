import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { functionSettings } from '#shared/manifest/settings/functions.ts'
import { describedSettings, withSettings } from './document.ts'

const sections = await describedSettings()
const settings = sections.flatMap((section) => section.settings)

describe('the settings', () => {
  it('have unique names', () => {
    const names = settings.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })

  it('have a description in the comment above them', () => {
    expect(settings.filter(({ about }) => about === '').map(({ name }) => name)).toEqual([])
  })

  it('are granted to a function, unless described as unused', () => {
    const inputs = new Set<string>([
      ...functions.flatMap((spec) => spec.settings),
      ...functions.flatMap((spec) => spec.secrets),
    ])
    const idle = settings
      .filter(({ name, about }) => name in functionSettings && !about.startsWith('Read by nothing'))
      .filter(({ name }) => !inputs.has(name))
    expect(idle.map(({ name }) => name)).toEqual([])
  })

  it('include every variable that the deployment program reads', async () => {
    const stacks = (await readdir('stacks')).filter((name) => name.endsWith('.ts'))
    const sources = await Promise.all(
      ['sst.config.ts', ...stacks.map((name) => `stacks/${name}`)].map((file) =>
        readFile(file, 'utf8'),
      ),
    )
    const read = sources.flatMap((source) => source.match(/(?<=process\.env\.)[A-Z][A-Z_]+/g) ?? [])
    expect(read).toContain('SERVICES')
    // `npm run remove` sets UNPROTECTED_STAGE itself.
    const names = new Set([...settings.map(({ name }) => name), 'UNPROTECTED_STAGE'])
    expect(read.filter((name) => !names.has(name))).toEqual([])
  })

  it('are listed by feature in the configuration document', async () => {
    const document = await readFile('docs/reference/configuration.md', 'utf8')
    await expect(withSettings(document, sections)).toMatchFileSnapshot(
      '../../docs/reference/configuration.md',
    )
  })
})
