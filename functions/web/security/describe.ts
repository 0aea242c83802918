import * as z from 'zod'
import { supportedEvents } from '../../../shared/security-events/names.ts'
import { route } from './services.ts'

export const describeReceiver = route({
  method: 'GET',
  path: '/api/security/risc',
  summary: 'What the security event receiver takes',
  tag: 'security',
  guard: 'none',
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
})
