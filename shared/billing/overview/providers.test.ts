import { expect, it } from 'vitest'
import { ownKeyProviders } from './providers.ts'

it('keys are accepted for the known vendors and the providers in AI_PROVIDERS, each once', () => {
  const provider = { baseUrl: 'https://models.example/v1', apiKey: 'the-platforms-own' }
  const AI_PROVIDERS = JSON.stringify({ openai: provider, house: provider })
  const vendors = [
    'anthropic',
    'openai',
    'google',
    'mistral',
    'deepseek',
    'xai',
    'groq',
    'openrouter',
  ]
  expect(ownKeyProviders({ AI_PROVIDERS })).toEqual([...vendors, 'house'])
  expect(ownKeyProviders({ AI_PROVIDERS: undefined })).toEqual(vendors)
})
