import { getCredits as get } from '../../../shared/credits/get.ts'
import { creditsAnswer } from '../../../shared/credits/schema.ts'
import { route } from './services.ts'

export const getCredits = route({
  method: 'GET',
  path: '/api/credits',
  summary: 'The caller’s credits and referral code',
  tag: 'billing',
  guard: 'session',
  response: creditsAnswer,
  errors: ['unauthorized', 'not-found'],
  handle: ({ table, actor }) => get(table, actor.user.id),
})
