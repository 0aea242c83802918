import { listInstallations } from '#shared/accounts/installations/list.ts'
import { recordInstallation } from '#shared/accounts/installations/record-heartbeat.ts'
import { registerInstallation } from '#shared/accounts/installations/register.ts'
import {
  heartbeatAnswer,
  heartbeatBody,
  homeRegistration,
  installationList,
  installationQuery,
  linkRegistration,
  registeredInstallation,
} from '#shared/accounts/installations/schema.ts'
import { generateInvite } from '#shared/accounts/invites/generate.ts'
import { inviteMade, inviteUse, inviteUsed } from '#shared/accounts/invites/schema.ts'
import { useInvite } from '#shared/accounts/invites/use.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { addressBlock } from '#shared/platform/address.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { userIdPattern } from '#shared/platform/table/user-store.ts'

export type Services = Pick<Context, 'table'> & Can<'encryptionKey' | 'webUrl'>

const route = routesWith<Services>()

/** contract.md 20: heartbeats of all installations at an address. */
const heartbeatLimit = { scope: 'heartbeats', perMinute: 300 }

/** The properties that both kinds of registration share. */
const registration = {
  method: 'POST',
  tag: 'registration',
  guard: 'internal',
  response: registeredInstallation,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests', 'unavailable'],
  notAudited: 'records the address of an installation; no access or money changes',
} as const

const answered = (webUrl: string, message: string) => ({
  success: true as const,
  message,
  dashboardUrl: `${webUrl}/dashboard`,
})

export const routes = [
  route({
    ...registration,
    name: 'installations.registerHome',
    path: '/api/register-home',
    summary: 'Register a self-hosted installation',
    body: homeRegistration,
    handle: async (context, { body }) => {
      await registerInstallation(context, body)
      return answered(context.webUrl, 'The installation is registered')
    },
  }),

  route({
    ...registration,
    name: 'installations.registerLink',
    path: '/api/register-link',
    summary: 'Register a linked installation',
    body: linkRegistration,
    handle: async (context, { body }) => {
      await registerInstallation(context, { ...body, mode: 'link' })
      return answered(context.webUrl, 'The linked installation is registered')
    },
  }),

  route({
    name: 'installations.list',
    method: 'GET',
    path: '/api/installations',
    summary: 'List installations',
    description: 'Newest first. `x-user-id` filters by user.',
    tag: 'registration',
    guard: 'internal',
    query: installationQuery,
    response: installationList,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests'],
    handle: async (context, { query }) => {
      const installations = await listInstallations(context, query)
      return { success: true as const, count: installations.length, installations }
    },
  }),

  route({
    name: 'installations.heartbeat',
    method: 'POST',
    path: '/api/heartbeat',
    summary: 'Send a heartbeat of an installation',
    description: 'The response is the same for an unknown installation.',
    tag: 'registration',
    guard: 'none',
    // Installations of one office or host share an address, so each has its own counter there.
    limitedBy: 'handler',
    body: heartbeatBody,
    bodyOptional: true,
    response: heartbeatAnswer,
    errors: ['bad-request', 'too-many-requests'],
    notAudited: 'records when an installation was seen',
    handle: async (context, { body: { userId } }) => {
      await context.count(heartbeatLimit)
      const timestamp = await recordInstallation(context, { userId })
      // The counter includes the address, because anyone can send another user's id. Unknown users are counted too, so
      // that the rate limit headers do not reveal whether a user has an installation.
      const isId = userId !== undefined && userIdPattern.test(userId)
      const counter = isId ? `installation-${userId}-${addressBlock(context.ip)}` : undefined
      await context.countFor(counter)
      return { success: true as const, timestamp }
    },
  }),

  route({
    name: 'invites.create',
    method: 'POST',
    path: '/api/invite/generate',
    summary: 'Create an invite code',
    description: 'Valid for one use.',
    tag: 'registration',
    guard: 'internal',
    response: inviteMade,
    errors: ['unauthorized', 'forbidden', 'too-many-requests'],
    notAudited: 'belongs to no account',
    handle: (context) => generateInvite(context),
  }),

  route({
    name: 'invites.use',
    method: 'POST',
    path: '/api/invite/validate',
    summary: 'Redeem an invite code',
    tag: 'registration',
    guard: 'none',
    body: inviteUse,
    response: inviteUsed,
    errors: ['bad-request', 'too-many-requests'],
    notAudited: 'belongs to no account',
    handle: async (context, { body }) => {
      await useInvite(context, body)
      return { valid: true as const }
    },
  }),
]

export function wire(config: ConfigOf<'backend-registration'>): Wiring<Services> {
  const table = openTable(config)
  return {
    services: { table, encryptionKey: config.WALLET_ENCRYPTION_KEY, webUrl: config.WEB_URL },
    table,
  }
}
