import type { ModelFamily } from '#shared/manifest/model-families.ts'

/** The defaults of a provider that is known by name. An entry of AI_PROVIDERS replaces each field that it sets. */
export interface Preset {
  baseUrl: string
  speaks: readonly ModelFamily[]
}

/**
 * The providers that need only a key: `AI_PROVIDERS={"anthropic":{"apiKey":"…"}}`. Their addresses and APIs:
 * https://platform.claude.com/docs/en/api/openai-sdk, https://platform.openai.com/docs/api-reference,
 * https://ai.google.dev/gemini-api/docs/openai, https://docs.mistral.ai/api, https://api-docs.deepseek.com,
 * https://docs.x.ai/docs/api-reference, https://console.groq.com/docs/openai,
 * https://openrouter.ai/docs/api-reference/overview
 */
export const presets: Readonly<Record<string, Preset>> = {
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', speaks: ['chat', 'messages'] },
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    speaks: [
      'chat',
      'responses',
      'embeddings',
      'images',
      'speech',
      'transcriptions',
      'moderations',
    ],
  },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    speaks: ['chat', 'embeddings'],
  },
  mistral: {
    baseUrl: 'https://api.mistral.ai/v1',
    speaks: ['chat', 'embeddings', 'transcriptions', 'moderations'],
  },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', speaks: ['chat'] },
  xai: { baseUrl: 'https://api.x.ai/v1', speaks: ['chat', 'responses', 'images'] },
  groq: {
    baseUrl: 'https://api.groq.com/openai/v1',
    speaks: ['chat', 'speech', 'transcriptions'],
  },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    speaks: ['chat', 'messages', 'responses', 'embeddings'],
  },
}
