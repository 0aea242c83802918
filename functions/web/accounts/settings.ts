import { getProfile } from '../../../shared/accounts/profile.ts'
import { profile } from '../../../shared/accounts/schema.ts'
import { route } from './services.ts'

export const getSettings = route({
  method: 'GET',
  path: '/api/settings',
  summary: 'The current user’s profile',
  tag: 'accounts',
  guard: 'session',
  response: profile,
  errors: ['unauthorized', 'not-found'],
  handle: ({ table, actor }) => getProfile(table, actor.user.id),
})
