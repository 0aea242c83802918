import { readFile } from 'node:fs/promises'
import { functionSettings } from '#shared/manifest/settings/functions.ts'
import { deploySettings, machineSettings, stackSettings } from '#shared/manifest/settings/stacks.ts'
import type { MachineKind, Setting } from '#shared/manifest/settings/types.ts'
import { exampleOf, words } from '#stacks/local/settings/explain.ts'
import { commentAbove } from '../support/platform/comment-above.ts'

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

/** The features, in the order of the declarations; each begins with the setting that it names. */
const features: Record<string, string> = {
  'Addresses and people': 'WEB_URL',
  'Keys and secrets': 'INTERNAL_API_KEY',
  Operation: 'KILL_SWITCH',
  Models: 'AI_BASE_URL',
  'Sign-in by others': 'IDP_ISSUER',
  'Chains and x402': 'EVM_CHAIN_ID',
  'Farcaster and token gating': 'FARCASTER_AUTH_ISSUER',
  Payments: 'PAYMENTS_API_URL',
  'Wallets in custody': 'CDP_API_KEY_ID',
  'Inbound webhooks': 'STREAMING_WEBHOOK_SECRET',
  'Files, git and videos': 'WORKSPACE_ROOT',
  'Containers of agents': 'AGENT_IMAGE',
  Watchdog: 'WATCHDOG_AUTO_REPAIR',
  'Notices to operators': 'NOTIFY_TEAM_WEBHOOK_URL',
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
    ...byFeature(described(functions, functionSettings)),
    {
      title: 'On one machine',
      settings: described(stacks, { ...stackSettings, ...machineSettings }),
    },
    { title: 'Deployed', settings: described(stacks, deploySettings) },
  ]
}

/** @throws Error if a feature begins with a setting that is not declared */
function byFeature(settings: readonly Described[]): Section[] {
  const starts = Object.entries(features).map(([title, first]) => {
    const at = settings.findIndex(({ name }) => name === first)
    if (at < 0) throw new Error(`no setting is named ${first}`)
    return { title, at }
  })
  return starts.map(({ title, at }, i) => ({
    title,
    settings: settings.slice(at, starts[i + 1]?.at),
  }))
}

/** Returns the document with the tables of the current settings between its two marks. */
export function withSettings(document: string, sections: readonly Section[]): string {
  const [, before, after] =
    /^([^]*<!-- settings[^>]*-->\n)[^]*(<!-- \/settings -->[^]*)$/.exec(document) ?? []
  if (before === undefined) throw new Error('the document lacks the settings marks')
  const tables = sections.map(({ title, settings }) => `## ${title}\n\n${table(settings)}\n`)
  return `${before}\n${tables.join('\n')}\n${after}`
}

function table(settings: readonly Described[]): string {
  return [
    ['name', 'use', 'takes', 'default or example'],
    Array(4).fill('---'),
    ...settings.map(row),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** A longer example would fill the table; the error for an invalid value shows it. */
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
