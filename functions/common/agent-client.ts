import type { ActivityContext } from '../../shared/agents/activity/context.ts'
import type { Patience } from '../../shared/agents/reach/request.ts'
import { createApp } from '../../shared/http/app.ts'
import { streamHandler } from '../../shared/http/lambda/stream.ts'
import type { Route } from '../../shared/http/route.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { lazyQueues } from '../../shared/platform/queues/lazy.ts'
import { openTable } from '../../shared/platform/table/open.ts'

/** What it takes to reach agents' containers, and to wake them first. */
export interface AgentClientServices extends ActivityContext {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  patience?: Patience
}

/** The handler of one of the web's functions that work with agents' containers. */
export function agentClientHandler(routes: readonly Route<AgentClientServices>[]): unknown {
  const config = loadConfig(process.env)
  const table = openTable(config)
  const queues = lazyQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })
  return streamHandler(
    createApp({
      surface: 'web',
      name: config.FUNCTION_NAME,
      routes,
      services: { table, queues, config, encryptionKey: config.WALLET_ENCRYPTION_KEY },
      settings: config,
      identity: userIdentities(table, config.ADMIN_EMAILS),
      table,
    }),
  )
}
