import { describe, expect, test } from 'vitest'
import type { MachineKind, Setting } from '#shared/manifest/settings/types.ts'
import { exampleOf, settings } from './explain.ts'
import { readSettings, SettingsError } from './settings.ts'

const declared: [string, Setting<MachineKind>][] = Object.entries(settings)

describe('settings', () => {
  test('have defaults, and an empty variable counts as absent', () => {
    expect(readSettings({ WEB_PORT: '', DATA_DIR: '' })).toMatchObject({
      dataDir: '.data',
      ports: { web: 3000, backend: 3001, summarizer: 3100, agents: 3002, queues: 0 },
      standIn: true,
      standInCheckout: true,
    })
  })

  test.each([
    [
      'WEB_PORT',
      'http',
      /^WEB_PORT: must be a port from 0 to 65535, .*, not "http"\. Example: WEB_PORT=3000$/,
    ],
    ['BACKEND_PORT', '70000', /, not "70000"\. Example: BACKEND_PORT=3001$/],
    ['AGENT_RUNTIME', 'other', /^AGENT_RUNTIME: must be embedded or openclaw, not "other"/],
    [
      'DYNAMODB_ENDPOINT',
      'localhost:8000',
      /begins with http:\/\/ or https:\/\/, not "localhost:8000"/,
    ],
    ['WATCHDOG_MAX_REPAIR_ATTEMPTS', 'many', /: must be a whole number from 1 to 1000, not "many"/],
    ['KILL_SWITCH', 'perhaps', /: must be true or false, not "perhaps"/],
    ['ADMIN_EMAILS', 'ada@example.com,bob', /: must be comma-separated email addresses/],
    ['EVM_CHAIN_ID', 'base', /: must be a whole number of at least 1, not "base"/],
  ])(
    'an invalid %s is reported with its value, the valid values, and an example',
    (name, value, line) => {
      expect(() => readSettings({ [name]: value })).toThrow(SettingsError)
      expect(() => readSettings({ [name]: value })).toThrow(line)
    },
  )

  test.each([
    'localhost',
    'localhost:',
    'localhost:0',
    'localhost:65536',
    'http://localhost:80',
    'localhost:80/x',
    'me@localhost:80',
    '*:80',
    '::1:80',
    'localhost:80,example.com',
  ])('FETCH_ALLOW_HOSTS rejects %s', (value) => {
    expect(() => readSettings({ FETCH_ALLOW_HOSTS: value })).toThrow(
      /^FETCH_ALLOW_HOSTS: must be comma-separated host:port/,
    )
  })

  test('FETCH_ALLOW_HOSTS accepts names and addresses, each with its port', () => {
    const value = 'localhost:4000, hooks.internal:443,127.0.0.1:8545,[::1]:80'
    expect(() => readSettings({ FETCH_ALLOW_HOSTS: value })).not.toThrow()
  })

  test.each([
    'ROUTER_SECRET',
    'WALLET_ENCRYPTION_KEY',
    'AI_PROVIDERS',
    'EVM_RPC_URL',
    'CLONE_PAY_TO',
  ])('an invalid %s is reported without its value', (name) => {
    expect(() => readSettings({ [name]: 'hush' })).toThrow(
      new RegExp(`^${name}: must be (?!.*hush).+ Example: ${name}=`),
    )
  })

  test.each(declared)('the error of an invalid %s contains a valid example', (name, setting) => {
    const example = exampleOf(setting)
    // Any text is a valid text, and a valid list with one element.
    if (!['list', 'text'].includes(setting.kind))
      expect(() => readSettings({ [name]: 'x y' })).toThrow(`Example: ${name}=${example}`)
    // The example of a secret is a shell command. Other examples are checked after the shell removes their quotes.
    if (example.startsWith('"$(')) return
    expect(() => readSettings({ [name]: example.replaceAll("'", '') })).not.toThrow()
  })

  test('two surfaces cannot share a port, except port 0', () => {
    expect(() => readSettings({ BACKEND_PORT: '4000', WEB_PORT: '4000' })).toThrow(
      'BACKEND_PORT: WEB_PORT is 4000 too',
    )
    expect(readSettings({ BACKEND_PORT: '0', WEB_PORT: '0' }).ports.backend).toBe(0)
  })

  test('the listener for mails has its own port only if one is configured', () => {
    expect(readSettings({}).ports.mail).toBeUndefined()
    expect(readSettings({ EMAIL_IN_PORT: '4000' }).ports.mail).toBe(4000)
    expect(() => readSettings({ EMAIL_IN_PORT: '3001' })).toThrow(
      'EMAIL_IN_PORT: BACKEND_PORT is 3001 too',
    )
  })

  test('the stand-in checkout has its own port only if one is configured', () => {
    expect(readSettings({}).ports.payments).toBeUndefined()
    expect(readSettings({ PAYMENTS_PORT: '4000' }).ports.payments).toBe(4000)
    expect(() => readSettings({ PAYMENTS_PORT: '3000' })).toThrow(
      'PAYMENTS_PORT: WEB_PORT is 3000 too',
    )
    expect(() => readSettings({ PAYMENTS_PORT: '3000', PAYMENTS: 'off' })).not.toThrow()
  })

  test.each([{ PAYMENTS_SECRET_KEY: 'sk_live_1' }, { PAYMENTS: 'off' }])(
    'a payment provider of %o excludes the stand-in checkout',
    (environment) => expect(readSettings(environment).standInCheckout).toBe(false),
  )

  test('all invalid settings are reported at once', () => {
    const wrong = { WEB_PORT: 'x', EMAIL_FROM: 'x', AI_BASE_URL: 'secret-value' }
    let message = ''
    try {
      readSettings(wrong)
    } catch (error) {
      ;({ message } = error as Error)
    }
    for (const name of Object.keys(wrong)) expect(message).toContain(name)
    expect(message).not.toContain('secret-value')
  })

  test.each([{ AI_BASE_URL: 'https://example.com/v1' }, { AI_PROVIDERS: '{}' }])(
    'a provider of %o excludes the stand-in',
    (environment) => expect(readSettings(environment).standIn).toBe(false),
  )
})
