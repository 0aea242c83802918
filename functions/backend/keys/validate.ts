import { keyHolder } from '../../../shared/keys/schema.ts'
import { holderOf } from '../../../shared/keys/validate.ts'
import { route } from './services.ts'

export const validateKey = route({
  method: 'POST',
  path: '/api/validate-key',
  summary: 'Whose API key the bearer is, and what it opens',
  tag: 'keys',
  guard: 'user-key',
  response: keyHolder,
  errors: ['unauthorized', 'too-many-requests', 'internal'],
  handle: ({ actor }) => holderOf(actor.user),
})
