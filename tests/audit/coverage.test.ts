import { expect, it } from 'vitest'
import { allRoutes } from '../support/routes.ts'

const routes = await allRoutes()
const mutating = routes
  .filter(({ route }) => route.method !== 'GET')
  .map(({ surface, route }) => ({ name: `${surface} ${route.name}`, route }))

it.each(mutating)('$name names what it writes into the audit, or why it does not', ({ route }) => {
  const { audits = [], notAudited = '' } = route
  expect([audits.length > 0, notAudited !== ''].filter(Boolean)).toHaveLength(1)
})

it('asks nothing of the audit of a route that only reads, but the links that browsers open', () => {
  const reading = routes.filter(({ route }) => route.method === 'GET' && route.audits !== undefined)
  expect(reading.map(({ route }) => route.name).sort()).toEqual([
    'auth.codehost.finish',
    'auth.idp.finish',
    'auth.openVerificationLink',
  ])
})
