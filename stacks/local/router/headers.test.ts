import fc from 'fast-check'
import { expect, it } from 'vitest'
import { confine } from './headers.ts'

const attribute = fc
  .tuple(
    fc.constantFrom('Path', 'domain', ' DOMAIN ', '\tDomain', 'dom', 'domdomain=xain', ''),
    fc.constantFrom('=', '', ' = ', '=='),
    fc.constantFrom('localhost', '.agents.localhost', '', 'domain=x', '/'),
  )
  .map((parts) => parts.join(''))
const line = fc
  .tuple(fc.constantFrom('a=1', 'a=domain=x', ''), fc.array(attribute, { maxLength: 5 }))
  .map(([pair, attributes]) => [pair, ...attributes].join(';'))

/** Returns the domain of a cookie, as browsers parse it (RFC 6265, section 5.2). */
function domainOf(cookie: string): string | undefined {
  const [, ...attributes] = cookie.split(';')
  return attributes
    .map((text) => text.split('='))
    .filter(([name = '']) => name.trim().toLowerCase() === 'domain')
    .map(([, ...value]) => value.join('=').trim())
    .findLast((value) => value !== '')
}

it('an agent’s cookies apply only to its own host', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
      const headers = { 'set-cookie': lines }
      confine(headers)
      expect(headers['set-cookie'].map(domainOf)).toEqual(lines.map(() => undefined))
    }),
  )
})

it.each([
  'service-session',
  ' service-session ',
  '=service-session',
  'agent-access',
  '__Host-agent-access',
])('an agent cannot set the platform’s cookie %j', (name) => {
  const headers = { 'set-cookie': [`${name}=x; Path=/`, 'own=1'] }
  confine(headers)
  expect(headers['set-cookie']).toEqual(['own=1'])
})
