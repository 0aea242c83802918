import { adapterContext } from '#shared/conversations/channels/adapter-context.ts'
import type {
  AdapterContext,
  OpenChannel,
} from '#shared/conversations/channels/adapters/adapter.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import type { PlayedBot } from './telegram-state.ts'

/** Returns the context of an adapter that calls a played Telegram. */
export function telegramContext(TELEGRAM_API_URL: string): AdapterContext {
  const config = loadConfig({ TELEGRAM_API_URL })
  const log = createLog()
  return adapterContext({
    log,
    config,
    guard: { deployed: false },
    webUrl: 'https://agents.example.com',
    encryptionKey: undefined,
  })
}

/** Returns a channel for a bot. */
export function telegramChannel({ token }: PlayedBot, username = 'rhythm_bot'): OpenChannel {
  return {
    id: 'chn_1',
    agentId: 'agt_1',
    kind: 'telegram',
    settings: { username },
    secrets: { token },
  }
}
