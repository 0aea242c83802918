import { readFile } from 'node:fs/promises'
import { functionSettings } from '#shared/manifest/settings/functions.ts'
import { deploySettings, machineSettings, stackSettings } from '#shared/manifest/settings/stacks.ts'
import type { MachineKind, Setting } from '#shared/manifest/settings/types.ts'
import { exampleOf, words } from '#stacks/local/settings/explain.ts'
import { commentAbove } from '../support/comment-above.ts'

const folder = 'shared/manifest/settings'

interface Described {
  name: string
  setting: Setting<MachineKind>
  /** The comment above the declaration. */
  about: string
}

interface Section {
  title: string
  settings: Described[]
}

/** Returns all settings, in the order of their declarations. */
export async function describedSettings(): Promise<Section[]> {
  const [functions, stacks] = await Promise.all(
    ['functions.ts', 'stacks.ts'].map((file) => readFile(`${folder}/${file}`, 'utf8')),
  )
  const described = (source: string | undefined, settings: Record<string, Setting<MachineKind>>) =>
    Object.entries(settings).map(([name, setting]) => ({
      name,
      setting,
      about: commentAbove(source ?? '', `${name}: \\{`),
    }))
  return [
    { title: 'Everywhere', settings: described(functions, functionSettings) },
    {
      title: 'On one machine',
      settings: described(stacks, { ...stackSettings, ...machineSettings }),
    },
    { title: 'Deployed', settings: described(stacks, deploySettings) },
  ]
}

/** Returns README.md with the tables of the current settings between its two marks. */
export function withSettings(readme: string, sections: readonly Section[]): string {
  const [, before, after] =
    /^([^]*<!-- settings[^>]*-->\n)[^]*(<!-- \/settings -->[^]*)$/.exec(readme) ?? []
  if (before === undefined) throw new Error('README.md lacks the settings marks')
  const tables = sections.map(({ title, settings }) => `### ${title}\n\n${table(settings)}\n`)
  return `${before}\n${tables.join('\n')}\n${after}`
}

/** Returns a table in the formatter's form: each column is as wide as its widest cell. */
function table(settings: readonly Described[]): string {
  const rows = [['name', 'use', 'takes', 'default or example'], ...settings.map(row)]
  const widths = [0, 1, 2, 3].map((i) => Math.max(...rows.map((cells) => cells[i]?.length ?? 0)))
  const lines = rows.map(
    (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`,
  )
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`)
  return lines.join('\n')
}

/** A longer example would widen every row; the error for an invalid value shows it. */
const longestExample = 80

function row({ name, setting, about }: Described): string[] {
  const { kind, secret, required, default: fallback = '' } = setting
  // Any text is valid, so no text is a useful example.
  const free = (kind === 'text' || kind === 'list') && setting.example === undefined
  const text = exampleOf(setting)
  const example = free || text.length > longestExample ? '' : `e.g. \`${text}\``
  return [
    `\`${name}\``,
    about.replace(/\.$/, '') + (required ? '. Deploying needs it' : ''),
    [secret ? 'a secret' : '', kind === 'text' ? '' : words[kind].takes].filter(Boolean).join(': '),
    String(fallback) === '' ? example : `\`${String(fallback)}\``,
  ]
}
