import * as z from 'zod'
import { sealPending } from '../../../shared/providers/pending.ts'
import type { ProviderName } from '../../../shared/providers/provider.ts'
import { failed, failureOf, redirect } from './failure.ts'
import { setPending } from './pending-cookie.ts'
import { route } from './services.ts'

function begin(name: ProviderName, path: string, summary: string) {
  return route({
    method: 'GET',
    path,
    summary,
    tag: 'accounts',
    guard: 'none',
    status: 302,
    response: z.null(),
    errors: [],
    handle: async ({ providers, sealer, webUrl, log }) => {
      const provider = providers[name]
      if (provider === undefined || sealer === undefined)
        return failed(name, 'NotConfigured', webUrl)
      try {
        const { location, pending } = await provider.begin()
        const sealed = await sealPending(sealer, name, pending)
        return redirect(location.href, [setPending(name, sealed, webUrl)])
      } catch (error) {
        return failed(name, failureOf(error, name, log), webUrl)
      }
    },
  })
}

export const beginIdpSignIn = begin(
  'idp',
  '/api/auth/idp',
  'Go to the identity provider to sign in',
)

export const beginCodehostSignIn = begin(
  'codehost',
  '/api/auth/github',
  'Go to the code host to sign in',
)
