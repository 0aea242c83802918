import { routes } from '#functions/backend/models.ts'
import { createHealthCheck } from '#shared/ai/gateway/health/check.ts'
import { describeCatalogue } from '#shared/ai/gateway/models/describe-catalogue.ts'
import { createProviders, type ProviderSettings } from '#shared/ai/gateway/providers/provider.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Answer } from '../http/client.ts'
import { testModelSets } from './model-sets.ts'

const internalKey = 'the-internal-key'

export interface ModelsOptions extends Partial<ProviderSettings> {
  now?: () => number
}

/** Starts the models function's own routes over the test's providers. */
export function startModels({ now, ...settings }: ModelsOptions) {
  const providers = createProviders({ ...loadConfig({}), ...testModelSets, ...settings })
  const app = createApp({
    surface: 'backend',
    name: 'backend-models',
    routes,
    services: {
      providers,
      catalogue: describeCatalogue(providers, now),
      checkHealth: createHealthCheck(providers, now),
    },
    settings: { INTERNAL_API_KEY: internalKey },
  })
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await app.request(path, init)
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as Answer['body'],
    }
  }
  const authorization = `Bearer ${internalKey}`
  return {
    get: (path: string) => send(path, { headers: { authorization } }),
    post: (path: string, body?: unknown) =>
      send(path, {
        method: 'POST',
        headers: {
          authorization,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  }
}
