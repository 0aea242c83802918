import { notConfigured } from '#shared/platform/errors.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'

/** The domain on one machine, which no mail server of the internet knows. */
const localDomain = 'agents.localhost'

export type HasMailDomain = Reads<'EMAIL_IN_DOMAIN'> & Can<'deployed'>

/** Returns the domain of all channels' addresses; undefined if a deployed stage has none. */
function mailDomain({ config, deployed }: HasMailDomain): string | undefined {
  return config.EMAIL_IN_DOMAIN?.toLowerCase() ?? (deployed ? undefined : localDomain)
}

/**
 * Returns the address of a channel. It contains the channel's id, so that strangers cannot guess it.
 * @throws PlatformError 503 without a domain
 */
export function addressOf(ctx: HasMailDomain, channelId: string): string {
  const domain = mailDomain(ctx)
  if (domain === undefined) throw notConfigured('Email to agents', ['EMAIL_IN_DOMAIN'])
  return `${channelId}@${domain}`
}

/** Returns the id of the channel with an address; undefined at another domain. */
export function channelIdAt(ctx: HasMailDomain, address: string): string | undefined {
  const at = address.lastIndexOf('@')
  const isOurs = address.slice(at + 1).toLowerCase() === mailDomain(ctx)
  return isOurs ? address.slice(0, Math.max(0, at)).toLowerCase() : undefined
}
