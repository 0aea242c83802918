import { userIdentities } from '#shared/accounts/keys/identity.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { Table } from '#shared/platform/table/port.ts'

/** The settings that every group for users needs. */
export type UserGroupSettings = Pick<Settings, 'ADMIN_EMAILS' | 'TABLE_NAME' | 'DYNAMODB_ENDPOINT'>

/**
 * Creates the services of a group whose callers are users, with a session or an API key: the table, which also stores
 * rate limits and idempotency keys, and the result of `services`.
 */
export function userGroup<Services>(
  config: UserGroupSettings,
  services: (table: Table) => Wiring<Services>['services'],
): Wiring<Services> {
  const table = openTable(config)
  return {
    services: services(table),
    identity: userIdentities(table, config.ADMIN_EMAILS),
    table,
  }
}
