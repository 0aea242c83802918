import { expect, it } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { sealer } from '#shared/platform/seal.ts'
import { ownKeyPlace, withOwnKeys } from './own-keys.ts'
import { createProviders, type ProviderSettings } from './provider.ts'

const encryptionKey = 'an encryption key that is long enough'
const log = { info: () => {}, warn: () => {}, error: () => {} }
const router = { AI_BASE_URL: 'http://router/v1' }

async function routesOf(names: string[], id: string, settings: Partial<ProviderSettings> = router) {
  const { seal } = sealer(encryptionKey)
  const byok: Record<string, string> = {}
  for (const name of names) byok[name] = await seal(`key-${name}`, ownKeyPlace('usr_1', name))
  const context = {
    providers: createProviders({ ...loadConfig({}), ...settings }),
    encryptionKey,
    log,
  }
  const { routes } = await withOwnKeys(context, { userId: 'usr_1', byok })
  return routes(id).map(({ provider, model }) => `${provider.baseUrl} ${model} ${provider.apiKey}`)
}

it.each([
  [['openai'], 'openai/gpt-4o', 'https://api.openai.com/v1 gpt-4o key-openai'],
  [
    ['anthropic'],
    'anthropic/claude-3.5-sonnet',
    'https://api.anthropic.com/v1 claude-3-5-sonnet-latest key-anthropic',
  ],
  [
    ['anthropic'],
    'anthropic/claude-3-opus',
    'https://api.anthropic.com/v1 claude-3-opus-latest key-anthropic',
  ],
  [
    ['anthropic'],
    'anthropic/claude-sonnet-4.5',
    'https://api.anthropic.com/v1 claude-sonnet-4-5 key-anthropic',
  ],
  [['openrouter'], 'deepseek/r1', 'https://openrouter.ai/api/v1 deepseek/r1 key-openrouter'],
])('a key for %j sends %s to the vendor first', async (names, id, first) => {
  expect(await routesOf(names, id)).toEqual([first, `http://router/v1 ${id} undefined`])
})

it('a vendor’s own key takes precedence over a key for all models', async () => {
  expect(await routesOf(['openrouter', 'openai'], 'openai/gpt-4o')).toEqual([
    'https://api.openai.com/v1 gpt-4o key-openai',
    'https://openrouter.ai/api/v1 openai/gpt-4o key-openrouter',
    'http://router/v1 openai/gpt-4o undefined',
  ])
})

it('a key comes before the platform’s providers of the same model', async () => {
  const AI_PROVIDERS = JSON.stringify({
    openai: { models: { 'openai/gpt-4o': 'gpt-4o-2026' } },
    azure: { baseUrl: 'http://azure/v1', models: { 'openai/gpt-4o': 'deployment-1' } },
  })
  const names = ['openrouter', 'openai']
  expect(await routesOf(names, 'openai/gpt-4o', { ...router, AI_PROVIDERS })).toEqual([
    'https://api.openai.com/v1 gpt-4o-2026 key-openai',
    'https://openrouter.ai/api/v1 openai/gpt-4o key-openrouter',
    'https://api.openai.com/v1 gpt-4o-2026 undefined',
    'http://router/v1 openai/gpt-4o undefined',
    'http://azure/v1 deployment-1 undefined',
  ])
})

it.each(['google/gemini-2.0-flash', 'openai', 'openaix/gpt', 'xopenai/gpt', 'acme/openai/gpt'])(
  'a key for openai does not serve %s',
  async (id) => {
    expect(await routesOf(['openai'], id)).toEqual([`http://router/v1 ${id} undefined`])
  },
)

it('no key replaces the stand-in’s model', async () => {
  const settings = { STAND_IN_PROVIDER_URL: 'http://stand-in/v1' }
  expect(await routesOf(['openrouter', 'openai'], 'local/echo', settings)).toEqual([
    'http://stand-in/v1 echo undefined',
  ])
})

it('a user’s key is used at the address of its provider in AI_PROVIDERS, and is not used without an address', async () => {
  const AI_PROVIDERS =
    '{"openai":{"baseUrl":"http://mine/v1","apiKey":"p"},"acme":{"baseUrl":"http://acme/v1"}}'
  expect(await routesOf(['openai'], 'openai/gpt-4o', { AI_PROVIDERS })).toEqual([
    'http://mine/v1 gpt-4o key-openai',
    'http://mine/v1 gpt-4o p',
  ])
  expect(await routesOf(['acme'], 'acme/m', { AI_PROVIDERS })).toEqual([
    'http://acme/v1 m key-acme',
    'http://acme/v1 m undefined',
  ])
  expect(await routesOf(['acme', 'constructor'], 'acme/m', router)).toEqual([
    'http://router/v1 acme/m undefined',
  ])
})
