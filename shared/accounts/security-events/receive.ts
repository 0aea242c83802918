import type { Config } from '#shared/platform/config/load.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import { nameOf } from './names.ts'
import { signingKeys } from './signing-keys.ts'
import {
  type Receiver,
  type SecurityEvent,
  type SecurityEventMessage,
  securityEvents,
  type Subject,
} from './topic.ts'
import { type SecurityEventClaims, type Verifier, verifySecurityEvent } from './verify.ts'

export type ReceiverSettings = Pick<
  Config,
  'deployed' | 'IDP_CLIENT_ID' | 'IDP_ISSUER' | 'IDP_RISC_CONFIGURATION_URL'
>

export interface HasVerifier {
  /** The verifier, or the missing settings. */
  verifier: Verifier | { missing: readonly string[] }
}

/** Creates the verifier for the settings; it caches the provider's keys. */
export function configuredVerifier(settings: ReceiverSettings): HasVerifier['verifier'] {
  const { deployed, IDP_ISSUER: issuer, IDP_CLIENT_ID: clientIds } = settings
  if (issuer === undefined || clientIds.length === 0)
    return {
      missing: [
        ...(issuer === undefined ? ['IDP_ISSUER'] : []),
        ...(clientIds.length === 0 ? ['IDP_CLIENT_ID'] : []),
      ],
    }
  const configurationUrl =
    settings.IDP_RISC_CONFIGURATION_URL ??
    `${issuer.replace(/\/$/, '')}/.well-known/risc-configuration`
  return { issuer, clientIds, keys: signingKeys({ configurationUrl, deployed }) }
}

/**
 * Receives a security event token: verifies it and sends the work to the queue, so that the provider gets its response
 * immediately. An accepted token is not lost.
 * @throws PlatformError 400 for an invalid token, 503 without a provider
 */
export async function receiveSecurityEvent(
  { queues, verifier }: Sends<'security-events'> & HasVerifier,
  receiver: Receiver,
  token: string,
): Promise<void> {
  if ('missing' in verifier) throw notConfigured('Security event receiver', verifier.missing)
  const claims = await verifySecurityEvent(verifier, token.trim())
  await queues.send(securityEvents, toMessage(claims, receiver, Date.now()))
}

function toMessage(
  claims: SecurityEventClaims,
  receiver: Receiver,
  receivedAt: number,
): SecurityEventMessage {
  const { jti, events, iat, toe } = claims
  const now = receivedAt / 1000
  return {
    receiver,
    jti,
    receivedAt,
    // Limits the time: an event whose time is in the future must not override the provider's later events.
    occurredAt: Math.min(toe ?? iat ?? now, now),
    events: Object.entries(events).map(([uri, { subject, reason }]): SecurityEvent => ({
      name: nameOf(uri),
      subject:
        receiver === 'legacy'
          ? { email: claims.sub?.includes('@') ? claims.sub : stringOf(subject?.email) }
          : subjectOf(claims.iss, subject ?? claims.sub_id),
      reason,
    })),
  }
}

/** Returns the subject of an event. The subject of another issuer is another person, even if the id is the same. */
function subjectOf(issuer: string, subject: Record<string, unknown> = {}): Subject {
  const iss = stringOf(subject.iss)
  const ours = iss === undefined || iss.replace(/\/$/, '') === issuer.replace(/\/$/, '')
  const sub = ours ? stringOf(subject.sub) : undefined
  return { sub, email: stringOf(subject.email) }
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
