import type { Hex } from 'viem'
import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { sqsQueues } from '../../shared/platform/queues/sqs.ts'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { routes } from './proofs/index.ts'

const config = loadConfig(process.env)
const table = dynamoTable({ tableName: config.TABLE_NAME, endpoint: config.DYNAMODB_ENDPOINT })
const queues = sqsQueues({ urlOf: config.queueUrl, endpoint: config.SQS_ENDPOINT })

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
