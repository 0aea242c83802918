import { readFile } from 'node:fs/promises'
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

  it('are listed by feature in the configuration document', async () => {
    const document = await readFile('docs/reference/configuration.md', 'utf8')
    await expect(withSettings(document, sections)).toMatchFileSnapshot(
      '../../docs/reference/configuration.md',
    )
  })
})
