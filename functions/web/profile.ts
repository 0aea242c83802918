import * as z from 'zod'
import {
  type BotDetector,
  refuseBots,
  userAgentDetector,
} from '#shared/accounts/users/bot-detection.ts'
import { changeAccount } from '#shared/accounts/users/change-account.ts'
import { changePassword } from '#shared/accounts/users/change-password.ts'
import type { FindsChosenImages } from '#shared/accounts/users/chosen-image.ts'
import type { EndsAgentWebhooks } from '#shared/accounts/users/end-sessions.ts'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { getProfile } from '#shared/accounts/users/profile.ts'
import { register } from '#shared/accounts/users/register.ts'
import { resetPassword } from '#shared/accounts/users/reset-password.ts'
import {
  registration,
  registeredUser,
  emailConfirmation,
  resetRequest,
  passwordReset,
  passwordChange,
} from '#shared/accounts/users/schema.ts'
import { setPreferences } from '#shared/accounts/users/set-preferences.ts'
import { accountChange, preferences, profile } from '#shared/accounts/users/settings-schema.ts'
import { passwordResets } from '#shared/accounts/users/topic.ts'
import { mailAskers, userMailer } from '#shared/accounts/users/user-mailer.ts'
import { confirmEmail, openLink } from '#shared/accounts/users/verify-email.ts'
import { endAgentWebhooks } from '#shared/agents/record/config/end-webhooks.ts'
import { chosenImages } from '#shared/agents/record/image/chosen.ts'
import { checkScope } from '#shared/http/guards/scope.ts'
import { routesWith } from '#shared/http/route.ts'
import { addressNetwork } from '#shared/platform/address.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { PublicActor, UserActor } from '#shared/platform/identity/actor.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { sealer } from '#shared/platform/seal.ts'
import { userGroup } from '../common/user-group.ts'
import type { Services as AccountServices } from './accounts.ts'
import { browserOf, rememberBrowser } from './accounts/known-browser.ts'
import { heartbeat } from './profile/heartbeat.ts'
import { telemetry, type Services as TelemetryServices } from './profile/telemetry.ts'

export type Services = AccountServices &
  TelemetryServices &
  Sends<'password-resets'> &
  Can<'mailer'> &
  EndsAgentWebhooks &
  FindsChosenImages & { bots: BotDetector }

const route = routesWith<Services>()

const verifyEmailPath = '/api/auth/verify-email'

/** An API key does not prove access to an email address; the session of its account does. */
function signedIn(actor: PublicActor | UserActor): string | undefined {
  return actor.type === 'user' && actor.via === 'session' ? actor.user.id : undefined
}

const settingsPath = '/api/settings'

export const routes = [
  ...heartbeat,
  ...telemetry,

  route({
    name: 'auth.register',
    method: 'POST',
    path: '/api/register',
    summary: 'Create an account',
    tag: 'accounts',
    guard: 'none',
    limits: [{ scope: 'register', perMinute: 60 }],
    body: registration,
    response: registeredUser,
    errors: ['bad-request', 'forbidden', 'conflict', 'too-many-requests', 'unavailable'],
    codes: ['BOT_DETECTED'],
    audits: ['account.created'],
    handle: async (context, { body }) => {
      const userAgent = context.request.headers.get('user-agent') ?? undefined
      await refuseBots(context.bots, { userAgent, honeypot: body.website })
      return register(context, body)
    },
  }),

  route({
    name: 'auth.openVerificationLink',
    method: 'GET',
    path: verifyEmailPath,
    summary: 'Verify an email address by link',
    description: 'The browser must be signed in to the account.',
    tag: 'accounts',
    guard: 'optional-session',
    scope: 'any',
    query: z.object({ token: z.string().default('') }),
    status: 302,
    response: z.null(),
    errors: [],
    audits: ['email.changed', 'credits.granted'],
    handle: async (context, { query: { token } }) => {
      const { actor, request, webUrl } = context
      // Mail programs send HEAD requests for links; people do not.
      const who = request.method === 'HEAD' ? undefined : signedIn(actor)
      const pages = {
        verified: '/login?verified=1',
        unproven: `/verify-email?token=${encodeURIComponent(token)}`,
        failed: '/login?error=VerifyFailed',
      }
      const page = pages[await openLink(context, { token, signedIn: who })]
      return new Response(null, { status: 302, headers: { location: webUrl + page } })
    },
  }),

  route({
    name: 'auth.verifyEmail',
    method: 'POST',
    path: verifyEmailPath,
    summary: 'Verify an email address',
    description: 'Requires the token of the link, and the account’s password or session.',
    tag: 'accounts',
    guard: 'optional-session',
    scope: 'any',
    body: emailConfirmation,
    response: z.object({ success: z.literal(true) }),
    errors: ['bad-request', 'forbidden', 'too-many-requests', 'unavailable'],
    codes: ['SESSION_REQUIRED', 'VerifyFailed'],
    audits: ['email.changed', 'credits.granted'],
    handle: async (context, { body }) => {
      const proving = { ...context, browser: browserOf(context) }
      await confirmEmail(proving, { ...body, signedIn: signedIn(context.actor) })
      return { success: true as const }
    },
  }),

  route({
    name: 'auth.forgotPassword',
    method: 'POST',
    path: '/api/auth/forgot-password',
    summary: 'Request a password reset',
    description: 'Sends a link by email.',
    tag: 'accounts',
    guard: 'none',
    limits: [{ scope: 'forgot', perMinute: 60 }],
    body: resetRequest,
    response: z.object({ message: z.string() }),
    errors: ['bad-request', 'forbidden', 'too-many-requests', 'internal'],
    codes: ['BOT_DETECTED'],
    notAudited: 'sends an email; the use of its link is audited',
    handle: async ({ bots, queues, request, ip }, { body }) => {
      const userAgent = request.headers.get('user-agent') ?? undefined
      await refuseBots(bots, { userAgent, honeypot: body.website })
      // The account is not looked up here, so neither the response nor its duration shows whether it exists.
      await queues.send(passwordResets, { email: body.email, network: addressNetwork(ip) })
      return { message: 'If an account with this email exists, a link was sent to it' }
    },
  }),

  route({
    name: 'auth.resetPassword',
    method: 'POST',
    path: '/api/auth/reset-password',
    summary: 'Reset the password',
    description: 'Requires the token of the emailed link.',
    tag: 'accounts',
    guard: 'none',
    limits: [{ scope: 'reset', perMinute: 60 }],
    body: passwordReset,
    response: z.object({ message: z.string() }),
    errors: ['bad-request', 'too-many-requests', 'unavailable'],
    audits: ['password.changed', 'sessions.ended'],
    handle: async (context, { body }) => {
      const { userId } = await resetPassword(context, body)
      // The reset proves access to the mailbox, so wrong passwords of others do not lock this browser out.
      const cookies = await rememberBrowser(context, userId)
      const answer = { message: 'The password was changed' }
      return Response.json(answer, { headers: cookies.map((each) => ['set-cookie', each]) })
    },
  }),

  route({
    name: 'settings.get',
    method: 'GET',
    path: settingsPath,
    summary: 'Get the profile',
    tag: 'accounts',
    guard: 'session',
    response: profile,
    errors: ['unauthorized', 'not-found'],
    handle: (context) => getProfile(context),
  }),

  route({
    name: 'settings.changeAccount',
    method: 'POST',
    path: settingsPath,
    summary: 'Update the name or email',
    description: 'A new email takes effect after its verification link is opened.',
    tag: 'accounts',
    guard: 'session',
    body: accountChange,
    response: profile,
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'not-found',
      'conflict',
      'too-many-requests',
      'unavailable',
    ],
    codes: ['SESSION_REQUIRED'],
    notAudited: 'changes the name, or sends an email; opening its link changes the address',
    handle: (context, { body }) => changeAccount({ ...context, browser: browserOf(context) }, body),
  }),

  route({
    name: 'settings.update',
    method: 'PATCH',
    path: settingsPath,
    summary: 'Update the profile',
    description: 'Updates the name, notifications or monthly spend cap.',
    tag: 'accounts',
    guard: 'session',
    scope: ['write', 'money'],
    body: preferences,
    response: profile,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    notAudited: 'limits the user’s own spending; no money moves',
    handle: (context, { body }) => {
      const { spendCapUsd: _cap, spendCapUsdPerDay: _day, useCredits: _use, ...rest } = body
      // A key with only the scope `money` can set spend limits and nothing else.
      if (Object.keys(rest).length > 0)
        checkScope(context.actor, { method: 'PATCH', scope: 'write' })
      return setPreferences(context, body)
    },
  }),

  route({
    name: 'settings.changePassword',
    method: 'POST',
    path: '/api/settings/password',
    summary: 'Change the password',
    description: 'Ends all other sessions.',
    tag: 'accounts',
    guard: 'own-session',
    body: passwordChange,
    response: z.object({ success: z.literal(true) }),
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'not-found',
      'too-many-requests',
      'unavailable',
    ],
    audits: ['password.changed', 'sessions.ended'],
    handle: async (context, { body }) => {
      const { user } = context.actor
      await changePassword({ ...context, browser: browserOf(context) }, body)
      // After a change of the password, every browser is unknown and must be registered again.
      const cookies = await rememberBrowser(context, user.id)
      const answer = { success: true as const }
      return Response.json(answer, { headers: cookies.map((each) => ['set-cookie', each]) })
    },
  }),
]

export function wire(config: ConfigOf<'web-profile'>) {
  const queuesFor = openQueues(config)
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)
  const passwords = bcryptPasswords()
  const bots = userAgentDetector(config)
  return userGroup<Services>(config, (table) => (origin) => {
    const queues = queuesFor(origin)
    return {
      table,
      guard: config,
      endAgentWebhooks,
      chosenImages,
      sealer: seals,
      passwords,
      encryptionKey,
      mailer: userMailer({ table, queues, sealer: seals, askers: mailAskers(origin) }),
      queues,
      bots,
      webUrl: config.WEB_URL,
      lockouts: config.deployed || config.RATE_LIMITS === 'on',
    }
  })
}
