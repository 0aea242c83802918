import type { EndsAgentWebhooks } from '#shared/accounts/users/end-sessions.ts'
import type { CountsRequests } from '#shared/accounts/users/insert-user.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { ProviderName, ProviderProfile } from '../provider.ts'

/** The context of the verbs that link a provider's account to a user. */
export type LinkContext = Pick<Context, 'actor' | 'table' | 'requestId' | 'seed'> &
  Can<'sealer'> &
  CountsRequests &
  EndsAgentWebhooks

/** The sign-in of a person with a provider. */
export interface Arrival {
  provider: ProviderName
  profile: ProviderProfile
}

/** The user of a provider's person. */
export interface Found {
  userId: string
  outcome: 'known' | 'linked' | 'created'
}
