import { changeAccount } from '../../../shared/accounts/change-account.ts'
import { getProfile } from '../../../shared/accounts/profile.ts'
import { setPreferences } from '../../../shared/accounts/set-preferences.ts'
import { accountChange, preferences, profile } from '../../../shared/accounts/settings-schema.ts'
import { route } from './services.ts'

const path = '/api/settings'

export const getSettings = route({
  method: 'GET',
  path,
  summary: 'The current user’s profile',
  tag: 'accounts',
  guard: 'session',
  response: profile,
  errors: ['unauthorized', 'not-found'],
  handle: ({ table, actor }) => getProfile(table, actor.user.id),
})

export const changeSettings = route({
  method: 'POST',
  path,
  summary: 'Change the name, or the email once a link mailed to it is opened',
  tag: 'accounts',
  guard: 'session',
  body: accountChange,
  response: profile,
  errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'too-many-requests'],
  handle: (context, { body }) => changeAccount({ ...context, caller: context.actor.user }, body),
})

export const patchSettings = route({
  method: 'PATCH',
  path,
  summary: 'Change the name, the notifications or the monthly spend cap',
  tag: 'accounts',
  guard: 'session',
  body: preferences,
  response: profile,
  errors: ['bad-request', 'unauthorized', 'not-found'],
  handle: ({ table, actor }, { body }) => setPreferences(table, actor.user, body),
})
