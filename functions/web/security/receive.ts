import * as z from 'zod'
import { receiveSecurityEvent } from '../../../shared/security-events/receive.ts'
import { route } from './services.ts'

export const receiveEvent = route({
  method: 'POST',
  path: '/api/security/risc',
  summary: 'Take a security event token of the identity provider (RISC)',
  tag: 'security',
  guard: 'none',
  rawBody: 'application/secevent+jwt',
  status: 202,
  response: z.null(),
  errors: ['bad-request', 'unavailable', 'internal'],
  handle: async (context) => {
    await receiveSecurityEvent(context, 'risc', await context.request.text())
    return new Response(null, { status: 202 })
  },
})

/** Events of this receiver name their user by email only; new integrations use the other: spec.md. */
export const receiveLegacyEvent = route({
  method: 'POST',
  path: '/api/auth/idp/risc',
  summary: 'Take a security event token, as earlier integrations send it',
  tag: 'security',
  guard: 'none',
  rawBody: 'application/secevent+jwt',
  response: z.object({ received: z.literal(true) }),
  errors: ['bad-request', 'unavailable', 'internal'],
  handle: async (context) => {
    await receiveSecurityEvent(context, 'legacy', await context.request.text())
    return { received: true as const }
  },
})
