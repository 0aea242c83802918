import { createKey as create, type CreatedKey } from '../../../shared/keys/create.ts'
import { createdKey, newKey } from '../../../shared/keys/schema.ts'
import { route } from './services.ts'

/** Not idempotent: a kept answer would keep the raw key. Who loses theirs deletes that key and makes another. */
export const createKey = route({
  method: 'POST',
  path: '/api/keys',
  summary: 'Make an API key',
  tag: 'keys',
  guard: 'session',
  body: newKey,
  status: 201,
  response: createdKey,
  errors: ['bad-request', 'unauthorized', 'conflict', 'internal'],
  handle: async ({ table, actor }, { body }) => {
    const key: CreatedKey = await create(table, actor.user, body.name)
    return Response.json(key, { status: 201, headers: { 'cache-control': 'no-store' } })
  },
})
