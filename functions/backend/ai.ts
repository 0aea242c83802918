import { profileKey } from '../../shared/accounts/user.ts'
import { agentKeyIdentity } from '../../shared/agents/ai-key.ts'
import { createCatalogue } from '../../shared/ai/models/catalogue.ts'
import { createProviders } from '../../shared/ai/providers/provider.ts'
import { createApp } from '../../shared/http/app.ts'
import { streamHandler } from '../../shared/http/lambda/stream.ts'
import { userKeyIdentity } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { userStore } from '../../shared/platform/table/user-store.ts'
import { routes } from './ai/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const providers = createProviders(config)

export const handler = streamHandler(
  createApp({
    surface: 'backend',
    name: config.FUNCTION_NAME,
    routes,
    services: {
      table,
      providers,
      catalogue: createCatalogue(providers),
      timeoutMs: config.AI_MODEL_TIMEOUT_MS,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
      adminEmails: config.ADMIN_EMAILS,
    },
    settings: config,
    identity: {
      agentKey: agentKeyIdentity(table),
      profile: (userId) => userStore(table, userId).get(profileKey),
      userKey: userKeyIdentity(table, config.ADMIN_EMAILS),
    },
    table,
  }),
)
