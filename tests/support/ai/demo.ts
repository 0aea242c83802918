import { routes } from '#functions/web/demo.ts'
import { describeCatalogue } from '#shared/ai/gateway/models/describe-catalogue.ts'
import { createProviders, type ProviderSettings } from '#shared/ai/gateway/providers/provider.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { onCarrier } from '../http/carrier.ts'
import type { Answer } from '../http/client.ts'
import { noQueues } from '../platform/message-queue.ts'
import { settingsOf } from '../platform/table.ts'
import { testModelSets, testModelVariables } from './model-sets.ts'

export interface DemoOptions extends Partial<ProviderSettings> {
  timeoutMs?: number
  withinMs?: number
  capUsd?: number
}

/** Starts the demo function's own routes over a table and the test's providers. */
export function startDemo(table: Table, options: DemoOptions) {
  const app = onCarrier(
    'web-demo',
    () => workerSettings(table, options),
    () => demoApp(table, options),
  )
  const send = async (path: string, init: RequestInit, ip = '192.0.2.1'): Promise<Answer> => {
    const answer = await app.request(path, init, { requestContext: { http: { sourceIp: ip } } })
    const body = (await answer.json()) as Answer['body']
    return { status: answer.status, headers: answer.headers, body }
  }
  return {
    get: (path = '/api/demo/chat') => send(path, {}),
    /** Resolves once the last byte of the response has arrived, and with it the record of the call. */
    chat: (body: unknown, { ip, signal }: { ip?: string; signal?: AbortSignal } = {}) =>
      send(
        '/api/demo/chat',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          ...(signal && { signal }),
        },
        ip,
      ),
  }
}

function workerSettings(table: Table, { timeoutMs = 60_000, capUsd, ...settings }: DemoOptions) {
  const { withinMs: _onNodeAlone, ...providers } = settings
  return {
    ...settingsOf(table),
    ...testModelVariables,
    ...(providers as Record<string, string | undefined>),
    AI_MODEL_TIMEOUT_MS: String(timeoutMs),
    DEMO_SPEND_CAP_USD: capUsd?.toString(),
    WEB_URL: 'http://localhost:3000',
  }
}

function demoApp(
  table: Table,
  { timeoutMs = 60_000, withinMs = 60_000, capUsd, ...settings }: DemoOptions,
) {
  const providers = createProviders({ ...loadConfig({}), ...testModelSets, ...settings })
  return createApp({
    surface: 'web',
    name: 'web-demo',
    routes,
    services: {
      table,
      settlements: noQueues,
      providers,
      catalogue: describeCatalogue(providers),
      timeoutMs,
      withinMs,
      capUsd: capUsd ?? null,
    },
    settings: { WEB_URL: 'http://localhost:3000' },
    table,
  })
}
