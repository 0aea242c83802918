import { expect, test } from 'vitest'
import { readSettings } from '../gateway/settings.ts'
import { apiKey, token } from '../gateway/testing/gateway.ts'
import { defaultModel, openclawConfig, openclawFiles } from './config.ts'

const environment = {
  AGENT_ID: 'agt_1',
  GATEWAY_TOKEN: token,
  AI_BASE_URL: 'https://backend.example/v1/',
  AI_API_KEY: apiKey,
  WORKSPACE_DIR: '/data/workspace',
}

test('serves chat on loopback, with the agent’s token, and uses only the platform’s models', () => {
  const settings = readSettings({ ...environment, AI_MODEL: 'vendor/model' })
  expect(openclawConfig(settings)).toMatchObject({
    gateway: {
      mode: 'local',
      bind: 'loopback',
      auth: { mode: 'token', token: '${GATEWAY_TOKEN}' },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    models: {
      mode: 'replace',
      providers: {
        platform: {
          baseUrl: 'https://backend.example/v1',
          apiKey: '${AI_API_KEY}',
          auth: 'token',
          models: [{ id: 'vendor/model' }],
        },
      },
    },
    agents: {
      defaults: { workspace: '/data/workspace', model: { primary: 'platform/vendor/model' } },
    },
  })
})

test('configures each chat service that has a token, and writes no token into the file', () => {
  const none = readSettings(environment)
  expect(openclawConfig(none).channels).toEqual({})
  const tokens = { DISCORD_BOT_TOKEN: 'discord-token' }
  const more = { WHATSAPP_TOKEN: 'x', DISCORD_SENDERS: '12,34' }
  const config = openclawConfig(readSettings({ ...environment, ...tokens, ...more }))
  expect(config.channels).toEqual({
    discord: {
      enabled: true,
      dmPolicy: 'pairing',
      allowFrom: ['12', '34'],
      token: '${DISCORD_BOT_TOKEN}',
    },
  })
  for (const token of Object.values(tokens)) expect(JSON.stringify(config)).not.toContain(token)
})

test('falls back to a model that every plan includes', () => {
  expect(openclawConfig(readSettings(environment))).toMatchObject({
    agents: { defaults: { model: { primary: `platform/${defaultModel}` } } },
  })
})

test('the configuration is the same on every start, and contains no secret', async () => {
  const settings = readSettings({ ...environment, SYSTEM_PROMPT: 'You are Ada.' })
  const files = openclawFiles(settings, '/data/openclaw')
  expect([...files.keys()]).toEqual(['/data/openclaw/openclaw.json', '/data/workspace/SOUL.md'])
  expect(files.get('/data/workspace/SOUL.md')).toBe('You are Ada.\n')
  for (const text of files.values()) {
    expect(text).not.toContain(token)
    expect(text).not.toContain(apiKey)
  }
  expect(openclawFiles(settings, '/data/openclaw')).toEqual(files)
})

test('configures the platform’s tools if the agent may use them, without the key itself', () => {
  const config = openclawConfig(readSettings({ ...environment, AGENT_MCP: '1' }))
  const { origin } = new URL(environment.AI_BASE_URL)
  expect(config.mcp).toEqual({
    servers: {
      platform: {
        url: `${origin}/mcp`,
        transport: 'streamable-http',
        headers: { Authorization: 'Bearer ${AI_API_KEY}' },
      },
    },
  })
  expect(openclawConfig(readSettings(environment))).not.toHaveProperty('mcp')
})

test('configures a server for each connection, without a key or a token', () => {
  const settings = readSettings(environment)
  const { origin } = new URL(environment.AI_BASE_URL)
  const server = (name: string) => ({
    url: `${origin}/connections/${name}/mcp`,
    transport: 'streamable-http',
    headers: { Authorization: 'Bearer ${AI_API_KEY}' },
  })
  const connectionNames = ['notes', 'wiki']
  expect(openclawConfig({ ...settings, connectionNames }).mcp).toEqual({
    servers: { notes: server('notes'), wiki: server('wiki') },
  })
  expect(openclawConfig(settings)).not.toHaveProperty('mcp')
})

test('leaves commands and tools to OpenClaw: no policy of the platform is in its configuration', () => {
  const config = openclawConfig(readSettings({ ...environment, AGENT_MCP: '1' }))
  expect(Object.keys(config)).not.toContain('tools')
  expect(JSON.stringify(config)).not.toMatch(/exec|approvals/)
})
