import * as z from 'zod'
import { openPending } from '../../../shared/providers/pending.ts'
import type { ProviderName } from '../../../shared/providers/provider.ts'
import { finishSignIn } from '../../../shared/providers/sign-in.ts'
import { setSession } from '../accounts/cookie.ts'
import { failed, failureOf, redirect } from './failure.ts'
import { clearPending, readPending } from './pending-cookie.ts'
import { route } from './services.ts'

function callback(name: ProviderName, path: string, summary: string) {
  return route({
    method: 'GET',
    path,
    summary,
    tag: 'accounts',
    guard: 'none',
    status: 302,
    response: z.null(),
    errors: [],
    handle: async ({ providers, sealer, ...context }) => {
      const { request, webUrl, log } = context
      const provider = providers[name]
      if (provider === undefined || sealer === undefined)
        return failed(name, 'NotConfigured', webUrl)
      const over = clearPending(name, webUrl)
      try {
        const kept = readPending(request, name, webUrl)
        const pending = kept === undefined ? undefined : await openPending(sealer, name, kept)
        const answer = new URL(request.url).searchParams
        const session = await finishSignIn({ ...context, sealer }, provider, answer, pending)
        return redirect(`${webUrl}/dashboard`, [over, setSession(session, webUrl)])
      } catch (error) {
        return failed(name, failureOf(error, name, log), webUrl, [over])
      }
    },
  })
}

export const finishIdpSignIn = callback(
  'idp',
  '/api/auth/idp/callback',
  'Take the identity provider’s answer and begin a session',
)

export const finishCodehostSignIn = callback(
  'codehost',
  '/api/auth/github/callback',
  'Take the code host’s answer and begin a session',
)
