import { routesWith } from '../../../shared/http/route.ts'
import type { Mailer } from '../../../shared/platform/mail/port.ts'
import type { Sealer } from '../../../shared/platform/seal.ts'
import type { Table } from '../../../shared/platform/table/port.ts'
import type { ProviderName, SignInProvider } from '../../../shared/providers/provider.ts'

export interface ProviderServices {
  table: Table
  mailer: Mailer
  webUrl: string
  /** Absent without a key to seal with; then nobody can sign in by a provider. */
  sealer: Sealer | undefined
  /** Those that the settings are complete for. */
  providers: Partial<Record<ProviderName, SignInProvider>>
}

export const route = routesWith<ProviderServices>()
