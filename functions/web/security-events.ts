import * as z from 'zod'
import { supportedEvents } from '#shared/accounts/security-events/names.ts'
import {
  configuredVerifier,
  type HasVerifier,
  receiveSecurityEvent,
} from '#shared/accounts/security-events/receive.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import { openQueues } from '#shared/platform/queues/open.ts'

export type Services = Sends<'security-events'> & Can<'webUrl'> & HasVerifier

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'securityEvents.describe',
    method: 'GET',
    path: '/api/security/risc',
    summary: 'Describe the security event receiver',
    tag: 'security',
    guard: 'none',
    unlimited: 'document',
    response: z.object({
      status: z.literal('ok'),
      endpoint: z.string(),
      description: z.string(),
      events_supported: z.array(z.string()),
    }),
    errors: [],
    handle: ({ webUrl }) => ({
      status: 'ok' as const,
      endpoint: `${webUrl}/api/security/risc`,
      description: 'Receives security event tokens of the identity provider (RISC, RFC 8417)',
      events_supported: [...supportedEvents],
    }),
  }),

  route({
    name: 'securityEvents.receive',
    method: 'POST',
    path: '/api/security/risc',
    summary: 'Receive a security event token (RISC)',
    tag: 'security',
    guard: 'none',
    unlimited: 'signed',
    rawBody: 'application/secevent+jwt',
    status: 202,
    response: z.null(),
    errors: ['bad-request', 'unavailable', 'internal'],
    audits: ['sessions.ended', 'provider.linked'],
    handle: async (context) => {
      await receiveSecurityEvent(context, 'risc', await context.request.text())
      return new Response(null, { status: 202 })
    },
  }),

  /** Events of this receiver name their user only by email. New integrations use the other path: spec.md. */
  route({
    name: 'securityEvents.receiveLegacy',
    method: 'POST',
    path: '/api/auth/idp/risc',
    summary: 'Receive a security event token (legacy path)',
    tag: 'security',
    guard: 'none',
    unlimited: 'signed',
    rawBody: 'application/secevent+jwt',
    response: z.object({ received: z.literal(true) }),
    errors: ['bad-request', 'unavailable', 'internal'],
    audits: ['sessions.ended'],
    handle: async (context) => {
      await receiveSecurityEvent(context, 'legacy', await context.request.text())
      return { received: true as const }
    },
  }),
]

export function wire(config: ConfigOf<'web-security-events'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const verifier = configuredVerifier(config)
  return {
    services: (origin) => ({ queues: queuesFor(origin), verifier, webUrl: config.WEB_URL }),
  }
}
