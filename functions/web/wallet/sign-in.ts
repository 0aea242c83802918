import * as z from 'zod'
import { signInWithWallet } from '../../../shared/wallet-sign-in/sign-in.ts'
import { walletProof } from '../../../shared/wallet-sign-in/schema.ts'
import { setSession } from '../accounts/cookie.ts'
import { route } from './services.ts'

const response = z.object({
  ok: z.literal(true),
  user: z.object({ id: z.string(), name: z.string() }),
})

export const walletSignIn = route({
  method: 'POST',
  path: '/api/wallet-auth',
  summary: 'Sign in by a wallet’s signature (Sign-In with Ethereum)',
  tag: 'accounts',
  guard: 'none',
  body: walletProof,
  response,
  errors: ['bad-request', 'unauthorized', 'internal', 'unavailable'],
  handle: async (context, { body }) => {
    const { user, session } = await signInWithWallet(context, body)
    const answer: z.input<typeof response> = { ok: true, user }
    return Response.json(answer, {
      headers: { 'set-cookie': setSession(session, context.webUrl) },
    })
  },
})
