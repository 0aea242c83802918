import * as z from 'zod'
import { createKey, type CreatedKey } from '#shared/accounts/keys/create.ts'
import { deleteKey } from '#shared/accounts/keys/delete.ts'
import { getKey } from '#shared/accounts/keys/get.ts'
import { type KeyHashes, keyHashes } from '#shared/accounts/keys/hashes.ts'
import {
  keyChange,
  shownKey,
  createdKey,
  newKey,
  keyHolderAccount,
  keyToValidate,
  keyParams,
} from '#shared/accounts/keys/schema.ts'
import { updateKey } from '#shared/accounts/keys/update.ts'
import { validateKey } from '#shared/accounts/keys/validate.ts'
import { keysOf } from '#shared/accounts/users/api-key.ts'
import { routesWith } from '#shared/http/route.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can, Optional, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'> &
  Optional<Sends<'webhook-deliveries'>> &
  Can<'adminEmails'> & { hashes: KeyHashes }

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'keys.list',
    method: 'GET',
    path: '/api/keys',
    summary: 'List API keys',
    description: 'Newest first.',
    tag: 'keys',
    guard: 'session',
    response: z.lazy(() => z.object({ keys: z.array(shownKey()) })),
    errors: ['unauthorized'],
    handle: async (ctx) => ({ keys: await keysOf(ctx, { owner: ctx.actor.user }) }),
  }),

  /**
   * Not idempotent, because a stored response would contain the raw key. A user who loses a key deletes it and creates
   * another.
   */
  route({
    name: 'keys.create',
    method: 'POST',
    path: '/api/keys',
    summary: 'Create an API key',
    tag: 'keys',
    guard: 'session',
    scope: 'admin',
    body: z.lazy(newKey),
    status: 201,
    response: z.lazy(createdKey),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'conflict', 'internal'],
    codes: ['KEY_LIMIT_REACHED', 'SCOPE_REQUIRED', 'SESSION_REQUIRED'],
    audits: ['key.created'],
    handle: async (context, { body }) => {
      const key: CreatedKey = await createKey(context, body)
      return Response.json(key, { status: 201, headers: { 'cache-control': 'no-store' } })
    },
  }),

  route({
    name: 'keys.validate',
    method: 'POST',
    path: '/api/keys/validate',
    summary: 'Validate an API key',
    description: 'Returns its owner and scopes.',
    tag: 'keys',
    guard: 'none',
    // The key is in the body. Other requests from its address must not block a valid key.
    limitedBy: 'handler',
    body: z.lazy(keyToValidate),
    response: z.lazy(keyHolderAccount),
    errors: ['bad-request', 'unauthorized', 'internal'],
    notAudited: 'reads',
    handle: async (context, { body }) => {
      const account = await validateKey(context, body)
      await context.countFor(`user-${account.userId}`)
      return account
    },
  }),

  route({
    name: 'keys.get',
    method: 'GET',
    path: '/api/keys/:id',
    summary: 'Get an API key',
    tag: 'keys',
    guard: 'session',
    params: keyParams,
    response: z.lazy(shownKey),
    errors: ['unauthorized', 'not-found'],
    handle: (context, { params }) => getKey(context, params),
  }),

  route({
    name: 'keys.update',
    method: 'PATCH',
    path: '/api/keys/:id',
    summary: 'Update an API key',
    description:
      'Changes the name and the limits. An absent limit stays unchanged; null removes it. Takes effect immediately.',
    tag: 'keys',
    guard: 'session',
    scope: 'admin',
    params: keyParams,
    body: z.lazy(keyChange),
    response: z.lazy(shownKey),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'unavailable'],
    codes: ['SCOPE_REQUIRED'],
    audits: ['key.changed'],
    handle: (context, { params, body }) => updateKey(context, { ...body, ...params }),
  }),

  route({
    name: 'keys.delete',
    method: 'DELETE',
    path: '/api/keys/:id',
    summary: 'Delete an API key',
    description: 'Takes effect immediately.',
    tag: 'keys',
    guard: 'session',
    // Every key can delete itself.
    scope: 'any',
    params: keyParams,
    response: z.object({ success: z.literal(true) }),
    errors: ['unauthorized', 'forbidden', 'not-found'],
    codes: ['SCOPE_REQUIRED'],
    audits: ['key.deleted'],
    handle: async (context, { params }) => {
      await deleteKey(context, params)
      return { success: true as const }
    },
  }),
]

export function wire(config: ConfigOf<'web-keys'>) {
  const hashes = keyHashes()
  const queuesFor = openQueues(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    hashes,
    adminEmails: config.ADMIN_EMAILS,
    queues: queuesFor(origin),
  }))
}
