import { channelNames } from '#shared/manifest/channels.ts'
import { modelFamilies } from '#shared/manifest/model-families.ts'
import { functionSettings } from '#shared/manifest/settings/functions.ts'
import { machineSettings, stackSettings } from '#shared/manifest/settings/stacks.ts'
import type { MachineKind, Setting } from '#shared/manifest/settings/types.ts'
import type { SettingProblem } from '#shared/platform/config/settings.ts'

/** A description of a setting's valid values, for a person who has entered an invalid one. */
interface Words {
  takes: string
  /** An example for settings without their own example or default. */
  example: string
  /** The invalid value may be printed: it is not a secret, and people do not paste one here by mistake. */
  shown?: true
}

const url = 'a URL that begins with http:// or https://'

const ids = (count: number) => Array.from({ length: count }, (_, i) => `mine/m${i + 1}`)

export const words: Record<MachineKind, Words> = {
  'access-key-id': { takes: '1 to 128 letters and digits', example: 'LOCL0123' },
  address: { takes: '0x and 40 hex digits', example: '0x20c0000000000000000000000000000000000000' },
  channels: {
    takes: `comma-separated chat services: ${channelNames.join(', ')}, or none`,
    example: 'telegram,discord',
    shown: true,
  },
  count: { takes: 'a whole number from 1 to 1000', example: '3', shown: true },
  email: { takes: 'an email address', example: 'platform@example.com', shown: true },
  emails: {
    takes: 'comma-separated email addresses',
    example: 'ada@example.com,bob@example.com',
    shown: true,
  },
  flag: { takes: 'true or false', example: 'true', shown: true },
  'host-ports': {
    takes: 'comma-separated host:port, always with the port',
    example: 'localhost:4000,127.0.0.1:8545',
    shown: true,
  },
  hosts: {
    takes: 'comma-separated hosts, with :port if it is not 443',
    example: 'github.com,git.example.com:8443',
    shown: true,
  },
  issuer: { takes: url, example: 'https://accounts.example.com' },
  key: { takes: '32 characters or more', example: '"$(openssl rand -hex 32)"' },
  list: { takes: 'comma-separated texts', example: 'one,two' },
  milliseconds: { takes: 'milliseconds, from 1 to 900000', example: '30000', shown: true },
  percent: { takes: 'a whole number from 0 to 100', example: '10', shown: true },
  'model-families': {
    takes: `comma-separated families of model APIs: ${modelFamilies.join(', ')}`,
    example: 'chat,messages,responses',
    shown: true,
  },
  'plan-counts': {
    takes: 'comma-separated plan=count, each count at most 100',
    example: 'solo=2,network=1',
    shown: true,
  },
  'plan-models': {
    takes:
      'JSON with 3 ids for label, 5 for solo and 7 for collective; further has models of other API families by plan',
    example: `'${JSON.stringify({ label: ids(3), solo: ids(5), collective: ids(7) })}'`,
    shown: true,
  },
  'plan-routing': {
    takes: 'JSON with a plan for each name, whose order, weights and maxPriceUsd are optional',
    example: `'{"solo":{"order":["anthropic"],"maxPriceUsd":{"output":15}}}'`,
    shown: true,
  },
  'task-models': {
    takes: 'JSON with 3 ids each for reasoning, coding, fast and creative',
    example: `'${JSON.stringify({ reasoning: ids(3), coding: ids(3), fast: ids(3), creative: ids(3) })}'`,
    shown: true,
  },
  'demo-models': {
    takes: 'six different comma-separated model ids',
    example: ids(6).join(','),
    shown: true,
  },
  'plan-usd': {
    takes: 'comma-separated plan=dollars',
    example: 'solo=60,network=500',
    shown: true,
  },
  port: { takes: 'a port from 0 to 65535, where 0 picks a free one', example: '3000', shown: true },
  price: {
    takes: 'USD above 0, with at most 6 decimals',
    example: '0.01',
    shown: true,
  },
  providers: {
    takes:
      'JSON with a key for each name, and a base URL for unknown providers; optional are speaks, models, prices and limitField',
    example: `'{"mine":{"baseUrl":"https://models.example.com/v1","apiKey":"…"}}'`,
  },
  'remote-url': { takes: url, example: 'https://api.example.com' },
  runtime: { takes: 'embedded or openclaw', example: 'embedded', shown: true },
  seconds: { takes: 'seconds, from 0 to 86400', example: '60', shown: true },
  switch: { takes: 'on or off', example: 'on', shown: true },
  text: { takes: 'a text', example: 'text' },
  'token-units': { takes: 'a whole number of at least 1', example: '1', shown: true },
  url: { takes: url, example: 'https://example.com', shown: true },
  usd: { takes: 'USD, from 0 to 1000000', example: '20', shown: true },
  'webhook-secret': {
    takes: 'whsec_ and a key in base64',
    example: 'whsec_YXMgdGhlIHByb3ZpZGVyIHNob3dzIGl0',
  },
  whole: { takes: 'a whole number of at least 1', example: '1', shown: true },
}

/** All settings of one machine. */
export const settings = { ...functionSettings, ...machineSettings, ...stackSettings }

/** Returns an example value of a setting. */
export function exampleOf(setting: Setting<MachineKind>): string {
  const { kind, example, default: fallback = '' } = setting
  return example ?? (String(fallback) || words[kind].example)
}

/** Returns one line that says what is wrong with a setting and how to correct it. */
export function explain(
  { name, setting }: SettingProblem<MachineKind>,
  value: string | undefined,
): string {
  const { takes, shown } = words[setting.kind]
  const actual = shown && value !== undefined ? `, not ${JSON.stringify(value.slice(0, 60))}` : ''
  return `${name}: must be ${takes}${actual}. Example: ${name}=${exampleOf(setting)}`
}
