const namespaces = [
  'https://schemas.openid.net/secevent/risc/event-type/',
  'https://schemas.openid.net/secevent/oauth/event-type/',
] as const

/** What the current receiver knows: spec.md, Events. */
export const supportedEvents = [
  'account-disabled',
  'account-enabled',
  'sessions-revoked',
  'tokens-revoked',
  'account-credential-change-required',
  'verification',
] as const

/** The short name of an event's URI; what is of neither namespace stays as it is, and is unknown. */
export function nameOf(uri: string): string {
  const namespace = namespaces.find((one) => uri.startsWith(one)) ?? ''
  return uri.slice(namespace.length)
}
