import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createCatalogue } from '../models/catalogue.ts'
import { createProviders } from './provider.ts'

const id = 'anthropic/claude-sonnet-4.5'
const azure = { baseUrl: 'http://azure/v1', models: { 'openai/gpt-4o': 'deployment-1' } }
const anthropic = { models: { [id]: 'claude-sonnet-4-5' } }

const providersOf = (entries: object, AI_BASE_URL?: string) =>
  createProviders({
    ...loadConfig({}),
    AI_PROVIDERS: JSON.stringify(entries),
    ...(AI_BASE_URL && { AI_BASE_URL }),
  })

const routesOf = (asked: string, entries: object, router?: string) =>
  providersOf(entries, router)
    .routes(asked)
    .map(({ provider, model }) => `${provider.name} ${model}`)

it.each<[string, string, string[]]>([
  [
    'the routing provider and each entry that lists it',
    'openai/gpt-4o',
    ['router openai/gpt-4o', 'azure deployment-1'],
  ],
  ['the entry of its name first', id, ['anthropic claude-sonnet-4-5', `router ${id}`]],
  [
    'only the entry of its name without a list',
    'anthropic/claude-haiku-4-5',
    ['anthropic claude-haiku-4-5'],
  ],
  ['the routing provider without an entry', 'deepseek/r1', ['router deepseek/r1']],
])('a model is served by %s: %s', (_, asked, routes) => {
  expect(routesOf(asked, { azure, anthropic }, 'http://router/v1')).toEqual(routes)
})

it('a listed model needs no routing provider', () => {
  expect(routesOf('openai/gpt-4o', { azure, anthropic })).toEqual(['azure deployment-1'])
})

it('the provider’s own name of a model has all of the platform’s ids', () => {
  const providers = providersOf({ azure }, 'http://router/v1')
  const [router, other] = providers.all
  expect(other && providers.idsOf(other, 'deployment-1')).toEqual([
    'azure/deployment-1',
    'openai/gpt-4o',
  ])
  expect(router && providers.idsOf(router, 'openai/gpt-4o')).toEqual(['openai/gpt-4o'])
})

it.each([{ models: ['openai/gpt-4o'] }, { models: { 'openai/gpt-4o': '' } }])(
  'the start fails with the entry %o',
  (entry) => {
    expect(() => providersOf({ azure: { ...azure, ...entry } })).toThrow(/AI_PROVIDERS/)
  },
)

it.each([
  ['anthropic', 'claude-sonnet-5-5-20260901', 'anthropic/claude-sonnet-5.5', 'claude-sonnet-5-5'],
  ['anthropic', 'claude-opus-5-5', 'anthropic/claude-opus-5.5', 'claude-opus-5-5'],
  ['google', 'models/gemini-3.8-flash', 'google/gemini-3.8-flash', 'gemini-3.8-flash'],
  ['openai', 'gpt-6.1-terra', 'openai/gpt-6.1-terra', 'gpt-6.1-terra'],
])('%s with only a key lists %s as %s, and is asked for %s', (name, listed, platform, own) => {
  const providers = providersOf({ [name]: { apiKey: 'key' } })
  const [provider] = providers.all
  expect(provider && providers.idsOf(provider, listed)).toEqual([platform])
  expect(routesOf(platform, { [name]: { apiKey: 'key' } })).toEqual([`${name} ${own}`])
})

it('the models of Anthropic are listed by its own API', async () => {
  const requested = Promise.withResolvers<IncomingMessage>()
  const server = createServer((request, response) => {
    requested.resolve(request)
    response.end(JSON.stringify({ data: [{ type: 'model', id: 'claude-sonnet-5-5-20260901' }] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const providers = providersOf({ anthropic: { apiKey: 'key' } })
    const [known] = providers.all
    if (known === undefined) throw new Error('no provider')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const provider = { ...known, baseUrl }
    const catalogue = createCatalogue({ ...providers, all: [provider] })
    expect([...(await catalogue.list(provider)).keys()]).toEqual(['anthropic/claude-sonnet-5.5'])
    const { url, headers } = await requested.promise
    expect(url).toBe('/v1/models?limit=1000')
    expect(headers).toMatchObject({ 'x-api-key': 'key', 'anthropic-version': '2023-06-01' })
    expect(headers.authorization).toBeUndefined()
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
