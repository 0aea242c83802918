import * as z from 'zod'
import { configuredProviders } from '#shared/accounts/providers/configure.ts'
import { sealPending, openPending } from '#shared/accounts/providers/pending.ts'
import type { ProviderName, SignInProvider } from '#shared/accounts/providers/provider.ts'
import { finishSignIn } from '#shared/accounts/providers/sign-in.ts'
import type { EndsAgentWebhooks } from '#shared/accounts/users/end-sessions.ts'
import { mailAskers, userMailer } from '#shared/accounts/users/user-mailer.ts'
import { endAgentWebhooks } from '#shared/agents/record/config/end-webhooks.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { type Sealer, sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { setSession } from './accounts/cookie.ts'
import { deviceOf } from './accounts/device.ts'
import { rememberBrowser } from './accounts/known-browser.ts'
import { arrival, redirectWithError, failureOf, redirect } from './providers/failure.ts'
import { setPending, clearPending, readPending } from './providers/pending-cookie.ts'

export type Services = Pick<Context, 'table'> &
  Can<'encryptionKey' | 'mailer' | 'webUrl'> &
  EndsAgentWebhooks & {
    /** Undefined without an encryption key. Sign-in by a provider is then off. */
    sealer: Sealer | undefined
    /** The providers that are fully configured. */
    providers: Partial<Record<ProviderName, SignInProvider>>
  }

const route = routesWith<Services>()

function begin(name: ProviderName, path: string, summary: string) {
  return route({
    name: name === 'idp' ? 'auth.idp.begin' : 'auth.codehost.begin',
    method: 'GET',
    path,
    summary,
    tag: 'accounts',
    guard: 'none',
    query: z.object({
      next: z.string().optional().describe('Path of this origin to redirect to after the sign-in'),
    }),
    status: 302,
    response: z.null(),
    errors: [],
    handle: async ({ providers, sealer, webUrl, log }, { query: { next } }) => {
      const provider = providers[name]
      if (provider === undefined || sealer === undefined)
        return redirectWithError(name, { failure: 'NotConfigured', webUrl, next })
      try {
        const { location, pending } = await provider.begin()
        const sealed = await sealPending(sealer, name, { ...pending, next })
        return redirect(location.href, [setPending(name, sealed, webUrl)])
      } catch (error) {
        return redirectWithError(name, { failure: failureOf(error, name, log), webUrl, next })
      }
    },
  })
}

export const beginIdpSignIn = begin(
  'idp',
  '/api/auth/idp',
  'Redirect to the identity provider to sign in',
)

export const beginCodehostSignIn = begin(
  'codehost',
  '/api/auth/github',
  'Redirect to the code host to sign in',
)

function callback(name: ProviderName, path: string, summary: string) {
  return route({
    name: name === 'idp' ? 'auth.idp.finish' : 'auth.codehost.finish',
    method: 'GET',
    path,
    summary,
    tag: 'accounts',
    guard: 'none',
    status: 302,
    response: z.null(),
    errors: [],
    audits: [
      'account.created',
      'provider.linked',
      'sessions.ended',
      'password.changed',
      'byok.disabled',
    ],
    handle: async ({ providers, sealer, ...context }) => {
      const { request, webUrl, log } = context
      const provider = providers[name]
      if (provider === undefined || sealer === undefined)
        return redirectWithError(name, { failure: 'NotConfigured', webUrl, next: undefined })
      const over = clearPending(name, webUrl)
      const sealedState = readPending(request, name, webUrl)
      const pending =
        sealedState === undefined ? undefined : await openPending(sealer, name, sealedState)
      const next = pending?.next
      try {
        const answer = new URL(request.url).searchParams
        const device = deviceOf(context)
        const { userId, session } = await finishSignIn(
          { ...context, sealer, device },
          { provider, answer, pending },
        )
        return redirect(arrival(webUrl, next), [
          over,
          setSession(session, webUrl),
          ...(await rememberBrowser(context, userId)),
        ])
      } catch (error) {
        const failure = failureOf(error, name, log)
        return redirectWithError(name, { failure, webUrl, next, cookies: [over] })
      }
    },
  })
}

export const finishIdpSignIn = callback(
  'idp',
  '/api/auth/idp/callback',
  'Finish the sign-in with the identity provider',
)

export const finishCodehostSignIn = callback(
  'codehost',
  '/api/auth/github/callback',
  'Finish the sign-in with the code host',
)

export const routes = [
  beginIdpSignIn,

  finishIdpSignIn,

  beginCodehostSignIn,

  finishCodehostSignIn,
]

export function wire(config: ConfigOf<'web-providers'>): Wiring<Services> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)
  const providers = configuredProviders(config)
  return {
    services: (origin) => ({
      table,
      endAgentWebhooks,
      mailer: userMailer({
        table,
        queues: queuesFor(origin),
        sealer: seals,
        askers: mailAskers(origin),
      }),
      encryptionKey,
      webUrl: config.WEB_URL,
      sealer: seals,
      providers,
    }),
    table,
  }
}
