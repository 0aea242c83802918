import { keyHolderAccount, keyToValidate } from '../../../shared/keys/schema.ts'
import { validateKey as validate } from '../../../shared/keys/validate.ts'
import { route } from './services.ts'

export const validateKey = route({
  method: 'POST',
  path: '/api/keys/validate',
  summary: 'Whose API key it is, and what it opens',
  tag: 'keys',
  guard: 'none',
  body: keyToValidate,
  response: keyHolderAccount,
  errors: ['bad-request', 'unauthorized', 'internal'],
  handle: (context, { body }) => validate(context, body.apiKey),
})
