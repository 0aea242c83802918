import type { Hex } from 'viem'
import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { routes } from './proofs/index.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)

const app = createApp({
  surface: 'web',
  name: config.FUNCTION_NAME,
  routes,
  services: {
    table,
    queues,
    config,
    chain: {
      id: config.EVM_CHAIN_ID,
      rpc: { url: config.EVM_RPC_URL, setting: 'EVM_RPC_URL' } as const,
    },
    cashier: {
      rpc: { url: config.TEMPO_RPC_URL, setting: 'TEMPO_RPC_URL' } as const,
      token: config.PATHUSD_ADDRESS as Hex | undefined,
      payTo: config.CLONE_PAY_TO as Hex | undefined,
    },
  },
  settings: config,
  identity: userIdentities(table, config.ADMIN_EMAILS),
  table,
})

export const handler = bufferHandler(app)
