import type { ErrorKind } from '../../shared/platform/errors.ts'

/** What can come of asking an agent something: chat/converse.ts. */
export const turnErrors: readonly ErrorKind[] = [
  'bad-request',
  'unauthorized',
  'payment-required',
  'forbidden',
  'not-found',
  'conflict',
  'too-many-requests',
  'bad-gateway',
  'unavailable',
  'timeout',
]
