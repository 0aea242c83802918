import type { ModelFamily } from '#shared/manifest/model-families.ts'

/** The defaults of a provider that is known by name. An entry of AI_PROVIDERS replaces each field that it sets. */
export interface Preset {
  baseUrl: string
  speaks: readonly ModelFamily[]
  /** Its names of models, if they differ from the platform's ids without the prefix. */
  names?:
    | {
        /** Returns its name of a model. */
        own(model: string): string
        /** Returns the platform's name of a listed model. */
        platform(listed: string): string
      }
    | undefined
  /** The request of its models' list, if it differs from OpenAI's `GET /models`. */
  list?: { path: string; headers: Readonly<Record<string, string>>; keyIn: 'x-api-key' } | undefined
}

/** The version of Anthropic's API: https://platform.claude.com/docs/en/api/versioning */
export const anthropicVersion = '2023-06-01'

/**
 * The providers that need only a key: `AI_PROVIDERS={"anthropic":{"apiKey":"…"}}`. Their addresses and APIs:
 * https://platform.claude.com/docs/en/api/openai-sdk, https://platform.openai.com/docs/api-reference,
 * https://ai.google.dev/gemini-api/docs/openai, https://docs.mistral.ai/api, https://api-docs.deepseek.com,
 * https://docs.x.ai/docs/api-reference, https://console.groq.com/docs/openai,
 * https://openrouter.ai/docs/api-reference/overview
 */
export const presets: Readonly<Record<string, Preset>> = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    speaks: ['chat', 'messages'],
    names: {
      // Anthropic writes its versions with dashes, and the newest of an old family as `-latest`.
      own(model) {
        const name = model.replaceAll('.', '-')
        return /^claude-3(-\d)?-[a-z]+$/.test(name) ? `${name}-latest` : name
      },
      platform: withDots,
    },
    // A page has 20 models by default, and at most 1,000.
    list: {
      path: '/models?limit=1000',
      headers: { 'anthropic-version': anthropicVersion },
      keyIn: 'x-api-key',
    },
  },
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
    names: { own: (model) => model, platform: (listed) => listed.replace(/^models\//, '') },
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

/** Returns a vendor's own name of a model without its date. */
export function withoutDate(name: string): string {
  return name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
}

/** Returns a vendor's own name of a model without its date, and with dots in the version. */
export function withDots(name: string): string {
  return withoutDate(name).replaceAll(/(?<=\d)-(?=\d)/g, '.')
}
