import { loadConfig } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { sealer } from '../../shared/platform/seal.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { configuredIdp } from '../../shared/providers/configure.ts'
import { handleSecurityEvent } from '../../shared/security-events/handle.ts'
import { SecurityEventMessage } from '../../shared/security-events/schema.ts'

const config = loadConfig(process.env)
const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
const services = {
  table: openTable(config),
  sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
  revoke: configuredIdp(config)?.revoke,
}

/** Does what the identity provider's security events ask for. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: SecurityEventMessage,
  handle: (message, { log }) => {
    const actor = { type: 'provider' } as const
    return handleSecurityEvent({ ...services, actor, log, requestId: message.jti }, message)
  },
  queueUrl: config.queueUrl('security-events'),
  endpoint: config.SQS_ENDPOINT,
})
