const namespaces = [
  'https://schemas.openid.net/secevent/risc/event-type/',
  'https://schemas.openid.net/secevent/oauth/event-type/',
] as const

/** The events that the current receiver supports: spec.md, Events. */
export const supportedEvents = [
  'account-disabled',
  'account-enabled',
  'sessions-revoked',
  'tokens-revoked',
  'account-credential-change-required',
  'verification',
] as const

/**
 * Returns the short name of an event's URI; a URI outside both namespaces is returned unchanged, and is unknown.
 */
export function nameOf(uri: string): string {
  const namespace = namespaces.find((one) => uri.startsWith(one)) ?? ''
  return uri.slice(namespace.length)
}
