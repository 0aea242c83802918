import { describe, expect, test } from 'vitest'
import { readSettings, SettingsError } from './settings.ts'

describe('settings', () => {
  test('have defaults, and an empty variable counts as absent', () => {
    expect(readSettings({ WEB_PORT: '', DATA_DIR: '' })).toMatchObject({
      dataDir: '.data',
      ports: { web: 3000, backend: 3001, summarizer: 3100, agents: 3002 },
      standIn: true,
    })
  })

  test.each([
    ['WEB_PORT', 'http'],
    ['BACKEND_PORT', '70000'],
    ['AGENT_RUNTIME', 'other'],
    ['DYNAMODB_ENDPOINT', 'localhost:8000'],
    ['WATCHDOG_MAX_REPAIR_ATTEMPTS', 'many'],
    ['KILL_SWITCH', 'perhaps'],
  ])('a wrong %s is named, its value is not', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError)
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name}: `))
  })

  test('every wrong one is named at once', () => {
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
    'a provider of %o leaves no room for the stand-in',
    (environment) => expect(readSettings(environment).standIn).toBe(false),
  )
})
