import { execFile } from 'node:child_process'
import { createCipheriv, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { functionSettings } from '#shared/manifest/settings/functions.ts'
import { loadConfig } from './load.ts'

const run = promisify(execFile)

describe('the configuration', () => {
  it('has the defaults of the settings table', () => {
    const config = loadConfig({ WEB_URL: '' })
    expect(config).toMatchObject({
      deployed: false,
      WEB_URL: 'http://localhost:3000',
      WATCHDOG_CHECK_INTERVAL: 120,
      KILL_SWITCH: false,
      ADMIN_EMAILS: [],
    })
    expect(config.INTERNAL_API_KEY).toBeUndefined()
  })

  it('reads configured values', () => {
    const config = loadConfig({
      ADMIN_EMAILS: ' Ada@Example.com, ,bob@example.com',
      BACKEND_URL: 'https://api.example.com/',
      KILL_SWITCH: 'true',
      WATCHDOG_CHECK_INTERVAL: '30',
      QUEUE_URL_TASK_EVENTS: 'https://queue.example.com/task-events',
    })
    expect(config).toMatchObject({
      ADMIN_EMAILS: ['ada@example.com', 'bob@example.com'],
      BACKEND_URL: 'https://api.example.com',
      KILL_SWITCH: true,
      WATCHDOG_CHECK_INTERVAL: 30,
    })
    expect(config.queueUrl('task-events')).toBe('https://queue.example.com/task-events')
    expect(() => config.queueUrl('mails')).toThrow('QUEUE_URL_MAILS')
  })

  it('reads the name of a queue after the beginning of all URLs', () => {
    const config = loadConfig({
      QUEUE_BASE_URL: 'https://queue.example.com/1/',
      QUEUE_URL_MAILS: 'stage-mails',
    })
    expect(config.queueUrl('mails')).toBe('https://queue.example.com/1/stage-mails')
    expect(() => config.queueUrl('checks')).toThrow('QUEUE_URL_CHECKS')
  })

  it.each(
    Object.entries(functionSettings).flatMap(([name, setting]) =>
      'default' in setting && String(setting.default) !== '' ? [[name, setting.default]] : [],
    ),
  )('reads the default of %s like a configured value', (name, value) => {
    const config: object = loadConfig({ [String(name)]: String(value) })
    expect(config).toHaveProperty(String(name), value)
  })

  it('names every invalid variable, but no value', () => {
    const wrong = { WEB_URL: 'no-url-but-secret', WATCHDOG_MAX_REPAIR_ATTEMPTS: '-1' }
    expect(() => loadConfig(wrong)).toThrow(
      /WEB_URL: (?!.*no-url-but-secret)[^]*WATCHDOG_MAX_REPAIR_ATTEMPTS: /,
    )
  })

  it('rejects the stand-in model if it is deployed', () => {
    const STAND_IN_PROVIDER_URL = 'http://127.0.0.1:1/v1'
    expect(loadConfig({ STAND_IN_PROVIDER_URL })).toMatchObject({ STAND_IN_PROVIDER_URL })
    expect(() => loadConfig({ STAND_IN_PROVIDER_URL, PLATFORM_STAGE: 'production' })).toThrow(
      'STAND_IN_PROVIDER_URL',
    )
  })

  it('reads the secrets that SST links, from its encrypted file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'linked-'))
    const key = randomBytes(32)
    // The format of SST: AES-256-GCM with a key of this deployment, and the tag after the ciphertext.
    const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12))
    const text = JSON.stringify({ App: {}, INTERNAL_API_KEY: { value: 'linked-secret' } })
    const sealed = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
    await writeFile(join(folder, 'resource.enc'), sealed)
    const program = `import { loadConfig } from '${join(import.meta.dirname, 'load.ts')}'
      process.stdout.write(String(loadConfig(process.env).INTERNAL_API_KEY))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      env: { SST_KEY: key.toString('base64'), SST_KEY_FILE: join(folder, 'resource.enc') },
    })
    await rm(folder, { recursive: true })
    expect(stdout).toBe('linked-secret')
  })
})
