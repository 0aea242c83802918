import * as z from 'zod'
import type { RequestContext } from '../../../shared/http/route.ts'
import type { PublicActor } from '../../../shared/http/actor.ts'
import { newNonce } from '../../../shared/wallet-sign-in/nonce.ts'
import { route, type WalletServices } from './services.ts'

const shared = {
  path: '/api/auth/nonce',
  summary: 'A nonce for one message to sign, valid for 10 minutes',
  tag: 'accounts',
  guard: 'none',
  response: z.object({ nonce: z.string() }),
  errors: ['internal'],
  handle: async ({ table }: RequestContext<PublicActor> & WalletServices) =>
    // Two callers must never share one, whatever stands between them and here.
    Response.json({ nonce: await newNonce(table) }, { headers: { 'cache-control': 'no-store' } }),
} as const

export const getNonce = route({ method: 'GET', ...shared })
export const postNonce = route({ method: 'POST', ...shared })
