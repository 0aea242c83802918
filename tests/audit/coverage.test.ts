import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allRoutes } from '../support/http/routes.ts'

const routes = await allRoutes()
const mutating = routes
  .filter(({ route }) => route.method !== 'GET')
  .map(({ surface, route }) => ({ name: `${surface} ${route.name}`, route }))

it.each(mutating)('$name lists its audit entries, or the reason for their absence', ({ route }) => {
  const { audits = [], notAudited = '' } = route
  expect([audits.length > 0, notAudited !== ''].filter(Boolean)).toHaveLength(1)
})

it('the audit has a route for every change of an account, access or money in contract.md', () => {
  const contract = readFileSync(join(import.meta.dirname, '../../docs/contract.md'), 'utf8')
  const listed = /^- Actions: (.*)\.$/m.exec(contract)?.[1]?.split(', ') ?? []
  expect(listed).toContain('account.created')
  // Payments between agents belong to the underground.
  const own = listed.filter((action) => !/^(wallet|split|booking)\./.test(action))
  const messages = new Set<string>(routes.flatMap(({ route }) => route.audits ?? []))
  expect(own.filter((action) => !messages.has(action))).toEqual([])
  // Reads by operators are `operator.<view>`, which the contract lists with their routes.
  const changes = [...messages].filter((action) => !action.startsWith('operator.'))
  expect(changes.filter((action) => !listed.includes(action))).toEqual([])
})

it('records every operator view', () => {
  const operators = routes.filter(({ route }) => route.path.startsWith('/api/operator/'))
  expect(operators.length).toBeGreaterThan(5)
  for (const { route } of operators)
    expect([route.name, route.audits]).toEqual([route.name, [expect.stringMatching(/^operator\./)]])
})

it('requires no entry of a route that only reads, except sign-in and verification links and operator views', () => {
  const reading = routes.filter(
    ({ route: { method, path, audits } }) =>
      method === 'GET' && audits !== undefined && !path.startsWith('/api/operator/'),
  )
  expect(reading.map(({ route }) => route.name).sort()).toEqual([
    'auth.codehost.finish',
    'auth.idp.finish',
    'auth.openVerificationLink',
  ])
})
