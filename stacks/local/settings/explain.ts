import { functionSettings } from '../../../shared/manifest/settings/functions.ts'
import { machineSettings, stackSettings } from '../../../shared/manifest/settings/stacks.ts'
import type { MachineKind, Setting } from '../../../shared/manifest/settings/types.ts'
import type { SettingProblem } from '../../../shared/platform/config/settings.ts'

/** What a kind of setting takes, for a person who has given something else. */
interface Words {
  takes: string
  /** What may be given, where a setting has neither an example of its own nor a default. */
  example: string
  /** What was given may be repeated: it is no secret, nor a place where one is pasted by mistake. */
  shown?: true
}

const url = 'an address that begins with http:// or https://'

const ids = (count: number) => Array.from({ length: count }, (_, i) => `mine/m${i + 1}`)

export const words: Record<MachineKind, Words> = {
  'access-key-id': { takes: '1 to 128 letters and digits', example: 'LOCL0123' },
  address: { takes: '0x and 40 hex digits', example: '0x20c0000000000000000000000000000000000000' },
  count: { takes: 'a whole number from 1 to 1000', example: '3', shown: true },
  email: { takes: 'an email address', example: 'platform@example.com', shown: true },
  emails: {
    takes: 'email addresses with commas between them',
    example: 'ada@example.com,bob@example.com',
    shown: true,
  },
  flag: { takes: 'true or false', example: 'true', shown: true },
  'host-ports': {
    takes: 'host:port, the port always written, with commas between them',
    example: 'localhost:4000,127.0.0.1:8545',
    shown: true,
  },
  hosts: {
    takes: 'hosts, with :port where it is not 443, with commas between them',
    example: 'github.com,git.example.com:8443',
    shown: true,
  },
  issuer: { takes: url, example: 'https://accounts.example.com' },
  key: { takes: '32 characters or more', example: '"$(openssl rand -hex 32)"' },
  list: { takes: 'texts with commas between them', example: 'one,two' },
  milliseconds: { takes: 'milliseconds, from 1 to 900000', example: '30000', shown: true },
  percent: { takes: 'a whole number from 0 to 100', example: '10', shown: true },
  'plan-counts': {
    takes: 'plan=count, of at most 100, with commas between them',
    example: 'solo=2,network=1',
    shown: true,
  },
  'plan-models': {
    takes: 'JSON with 3 ids for label, 5 for solo and 7 for collective',
    example: `'${JSON.stringify({ label: ids(3), solo: ids(5), collective: ids(7) })}'`,
    shown: true,
  },
  'task-models': {
    takes: 'JSON with 3 ids each for reasoning, coding, fast and creative',
    example: `'${JSON.stringify({ reasoning: ids(3), coding: ids(3), fast: ids(3), creative: ids(3) })}'`,
    shown: true,
  },
  'demo-models': {
    takes: 'six different ids of models, with commas between them',
    example: ids(6).join(','),
    shown: true,
  },
  'plan-usd': {
    takes: 'plan=dollars, with commas between them',
    example: 'solo=60,network=500',
    shown: true,
  },
  port: { takes: 'a port from 0 to 65535, where 0 picks a free one', example: '3000', shown: true },
  price: {
    takes: 'USD above 0, a decimal of at most 6 decimals',
    example: '0.01',
    shown: true,
  },
  providers: {
    takes: 'JSON, a base URL and a key for each name',
    example: `'{"mine":{"baseUrl":"https://models.example.com/v1","apiKey":"…"}}'`,
  },
  'remote-url': { takes: url, example: 'https://api.example.com' },
  runtime: { takes: 'embedded or openclaw', example: 'embedded', shown: true },
  seconds: { takes: 'seconds, from 0 to 86400', example: '60', shown: true },
  switch: { takes: 'on or off', example: 'on', shown: true },
  text: { takes: 'a text', example: 'text' },
  'token-units': { takes: 'a whole number from 1 on', example: '1', shown: true },
  url: { takes: url, example: 'https://example.com', shown: true },
  usd: { takes: 'USD, from 0 to 1000000', example: '20', shown: true },
  'webhook-secret': {
    takes: 'whsec_ and a key in base64',
    example: 'whsec_YXMgdGhlIHByb3ZpZGVyIHNob3dzIGl0',
  },
  whole: { takes: 'a whole number from 1 on', example: '1', shown: true },
}

/** Everything that people may set on one machine. */
export const settings = { ...functionSettings, ...machineSettings, ...stackSettings }

/** What may be given for a setting. */
export function exampleOf(setting: Setting<MachineKind>): string {
  const { kind, example, default: fallback = '' } = setting
  return example ?? (String(fallback) || words[kind].example)
}

/** What is wrong with a setting, in a line that a person can act on. */
export function explain(
  { name, setting }: SettingProblem<MachineKind>,
  value: string | undefined,
): string {
  const { takes, shown } = words[setting.kind]
  const given = shown && value !== undefined ? `, not ${JSON.stringify(value.slice(0, 60))}` : ''
  return `${name}: must be ${takes}${given}. Example: ${name}=${exampleOf(setting)}`
}
