import {
  endpointDescription,
  farcasterProof,
  farcasterSession,
  refreshRequest,
} from '../../../shared/farcaster/schema.ts'
import { route } from './services.ts'

/** Most who come to this function sign a wallet in; what checks Farcaster proofs is loaded with the first of them. */
const farcaster = () => import('../../../shared/farcaster/verify.ts')

const verifyPath = '/api/auth/farcaster/verify'
const refreshPath = '/api/auth/farcaster/refresh'

export const verify = route({
  method: 'POST',
  path: verifyPath,
  summary: 'Prove a Farcaster account',
  tag: 'accounts',
  guard: 'none',
  body: farcasterProof,
  response: farcasterSession,
  errors: ['bad-request', 'unauthorized', 'internal', 'unavailable'],
  handle: async (context, { body }) => (await farcaster()).verifyFarcaster(context, body),
})

export const describeVerify = route({
  method: 'GET',
  path: verifyPath,
  summary: 'What proves a Farcaster account here',
  tag: 'accounts',
  guard: 'none',
  response: endpointDescription,
  errors: [],
  handle: ({ farcaster, quickAuthConfigured, encryptionKey }) => ({
    endpoint: verifyPath,
    method: 'POST',
    description: 'Opens a session by a Sign In With Farcaster message or a quick-auth token',
    accepts: [
      {
        fields: ['message', 'signature', 'nonce'],
        configured: farcaster.url !== undefined && encryptionKey !== undefined,
      },
      { fields: ['token'], configured: quickAuthConfigured && encryptionKey !== undefined },
    ],
  }),
})

export const refresh = route({
  method: 'POST',
  path: refreshPath,
  summary: 'Exchange a session token that still holds for a new one',
  tag: 'accounts',
  guard: 'none',
  body: refreshRequest,
  response: farcasterSession,
  errors: ['bad-request', 'unauthorized', 'internal', 'unavailable'],
  handle: async (context, { body }) =>
    (await farcaster()).refreshFarcaster(context, body.sessionToken),
})

export const describeRefresh = route({
  method: 'GET',
  path: refreshPath,
  summary: 'How session tokens are exchanged',
  tag: 'accounts',
  guard: 'none',
  response: endpointDescription,
  errors: [],
  handle: ({ encryptionKey }) => ({
    endpoint: refreshPath,
    method: 'POST',
    description: 'Exchanges a session token that has not expired for a new one',
    accepts: [{ fields: ['sessionToken'], configured: encryptionKey !== undefined }],
  }),
})
