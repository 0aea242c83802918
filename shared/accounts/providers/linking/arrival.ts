import type { EndAccessContext } from '#shared/accounts/users/end-sessions.ts'
import type { NewUserContext } from '#shared/accounts/users/insert-user.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Sealer } from '#shared/platform/seal.ts'
import type { ProviderName, ProviderProfile } from '../provider.ts'

/** The id of a new user is derived from the seed. */
export interface LinkContext
  extends
    Pick<Context, 'actor' | 'table' | 'requestId' | 'seed'>,
    Pick<NewUserContext, 'count'>,
    Pick<EndAccessContext, 'endAgentWebhooks'> {
  sealer: Sealer
}

/** A person's sign-in with a provider. */
export interface Arrival {
  provider: ProviderName
  profile: ProviderProfile
}

/** The user of a provider's person. */
export interface Found {
  userId: string
  outcome: 'known' | 'linked' | 'created'
}
