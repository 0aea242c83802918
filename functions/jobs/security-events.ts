import { loadConfig } from '../../shared/platform/config/load.ts'
import { sealer } from '../../shared/platform/seal.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { configuredIdp } from '../../shared/providers/configure.ts'
import { handleSecurityEvent } from '../../shared/security-events/handle.ts'
import { securityEvents } from '../../shared/security-events/topic.ts'
import { job } from '../common/job.ts'

const config = loadConfig(process.env)
const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
const services = {
  table: openTable(config),
  sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
  revoke: configuredIdp(config)?.revoke,
}

/** Does what the identity provider's security events ask for. */
export const handler = job(config, {
  topic: securityEvents,
  handle: (ctx, message) =>
    handleSecurityEvent({ ...services, ...ctx, actor: { type: 'provider' } }, message),
})
