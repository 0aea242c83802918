import { execFile } from 'node:child_process'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readSettings } from '../gateway/settings.ts'
import { Home, apiKey, token } from '../gateway/testing/gateway.ts'
import { defaultModel, openclawConfig } from './config.ts'

const environment = {
  AGENT_ID: 'agt_1',
  GATEWAY_TOKEN: token,
  AI_BASE_URL: 'https://backend.example/v1/',
  AI_API_KEY: apiKey,
  WORKSPACE_DIR: '/data/workspace',
}

test('serves chat on the agent’s port, with its token, through the platform alone', () => {
  const settings = readSettings({ ...environment, AI_MODEL: 'vendor/model' })
  expect(openclawConfig(settings)).toMatchObject({
    gateway: {
      mode: 'local',
      port: 18_789,
      bind: 'lan',
      auth: { mode: 'token', token: '${GATEWAY_TOKEN}' },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    models: {
      mode: 'replace',
      providers: {
        platform: {
          baseUrl: 'https://backend.example/v1',
          apiKey: '${AI_API_KEY}',
          models: [{ id: 'vendor/model' }],
        },
      },
    },
    agents: {
      defaults: { workspace: '/data/workspace', model: { primary: 'platform/vendor/model' } },
    },
  })
})

test('signs in to the chat services that there is a token for, and writes none down', () => {
  const none = readSettings(environment)
  expect(openclawConfig(none).channels).toEqual({})
  const tokens = { TELEGRAM_TOKEN: '123:telegram', DISCORD_BOT_TOKEN: 'discord-token' }
  const config = openclawConfig(readSettings({ ...environment, ...tokens, WHATSAPP_TOKEN: 'x' }))
  expect(config.channels).toEqual({
    telegram: { enabled: true, botToken: '${TELEGRAM_TOKEN}' },
    discord: { enabled: true, token: '${DISCORD_BOT_TOKEN}' },
  })
  for (const token of Object.values(tokens)) expect(JSON.stringify(config)).not.toContain(token)
})

test('falls back to a model that every plan has', () => {
  expect(openclawConfig(readSettings(environment))).toMatchObject({
    agents: { defaults: { model: { primary: `platform/${defaultModel}` } } },
  })
})

test('is written for its owner only, with no secret in it, and the same on every start', async () => {
  await using home = await Home.make()
  const run = async (more: Record<string, string> = {}): Promise<void> => {
    const script = join(import.meta.dirname, 'entrypoint.ts')
    const env = {
      ...home.environment('https://backend.example/v1'),
      OPENCLAW_STATE_DIR: join(home.workspace, 'state'),
      ...more,
    }
    await promisify(execFile)(process.execPath, [script], { env })
  }
  const path = join(home.workspace, 'state', 'openclaw.json')
  await run({ SYSTEM_PROMPT: 'You are Ada.' })
  const text = await readFile(path, 'utf8')
  await run()

  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(text).not.toContain(token)
  expect(text).not.toContain(apiKey)
  expect(await readFile(path, 'utf8')).toBe(text)
  expect(await readdir(join(home.workspace, 'state'))).toEqual(['openclaw.json'])
  expect(await readFile(join(home.workspace, 'SOUL.md'), 'utf8')).toBe('You are Ada.\n')

  await expect(run({ GATEWAY_TOKEN: 'short-secret' })).rejects.toSatisfy(
    (error) => String(error).includes('GATEWAY_TOKEN') && !String(error).includes('short-secret'),
  )
})
