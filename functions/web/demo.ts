import { describedCatalogue } from '../../shared/ai/models/described.ts'
import { createProviders } from '../../shared/ai/providers/provider.ts'
import { createApp } from '../../shared/http/app.ts'
import { streamHandler } from '../../shared/http/lambda/stream.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './demo/index.ts'

/** The edge waits 60 s for the first byte of an answer; whoever asks shall hear from here before. */
const withinMs = 50_000

const config = loadConfig(process.env)
const table = openTable(config)
const providers = createProviders(config)

export const handler = streamHandler(
  createApp({
    surface: 'web',
    name: config.FUNCTION_NAME,
    routes,
    services: {
      table,
      providers,
      catalogue: describedCatalogue(providers),
      timeoutMs: config.AI_MODEL_TIMEOUT_MS,
      withinMs,
      capUsd: config.DEMO_SPEND_CAP_USD ?? null,
    },
    settings: config,
    table,
  }),
)
