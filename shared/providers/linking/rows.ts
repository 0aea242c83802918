import type { Key } from '../../platform/table/port.ts'
import { userPartition } from '../../platform/table/user-store.ts'
import type { ProviderName } from '../provider.ts'

/** Where a provider's person says which user they are; the row also keeps them one user's only. */
export function linkKey(provider: ProviderName, subject: string): Key {
  return { pk: `provider#${provider}#${subject}`, sk: 'link' }
}

/** The sort keys of a user's links to a provider begin with it. */
export function linksPrefix(provider: ProviderName): string {
  return `provider#${provider}#`
}

/** The sort key of one of a user's links, which holds the refresh token. */
export function linkRowKey(provider: ProviderName, subject: string): string {
  return linksPrefix(provider) + subject
}

/** The sort key of whether a user may sign in by a provider. */
export function accessRowKey(provider: ProviderName): string {
  return `provider-access#${provider}`
}

/** What a link's refresh token is sealed for. */
export function tokenPlace(userId: string, linkRow: string): string {
  return `${userPartition(userId)}/${linkRow}`
}
