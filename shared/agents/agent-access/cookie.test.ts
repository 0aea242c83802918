import fc from 'fast-check'
import { expect, it } from 'vitest'
import { accessCookies, cookiesForAgent } from './cookie.ts'

const ours = ['service-session', 'agent-access', '__Host-agent-access']
const name = fc.oneof(
  fc.constantFrom(...ours, ' service-session ', 'x-service-session', 'Service-Session', ''),
  fc.string({ maxLength: 4 }),
)
const pair = fc.oneof(
  fc.tuple(name, fc.string({ maxLength: 6 })).map((parts) => parts.join('=')),
  fc.string({ maxLength: 8 }),
)
const header = fc.array(pair, { maxLength: 8 }).map((pairs) => pairs.join('; '))

/** Parses cookies like a server: RFC 6265, section 4.2. */
function namesIn(text: string): string[] {
  return text.split(';').map((part) => (part.split('=')[0] ?? '').trim())
}

it('cookies of the platform are never forwarded to an agent, and other cookies are unchanged', () => {
  fc.assert(
    fc.property(header, fc.boolean(), (sent, deployed) => {
      const remaining = cookiesForAgent(sent, deployed)
      const dropped = new Set([
        'service-session',
        deployed ? '__Host-agent-access' : 'agent-access',
      ])
      expect(namesIn(remaining).filter((one) => dropped.has(one))).toEqual([])
      expect(remaining).toMatch(/^[\x20-\x7e]*$/)
      for (const part of remaining.split('; ').filter(Boolean)) expect(sent).toContain(part)
    }),
  )
})

it('cookies are matched by their whole name', () => {
  const sent = 'a=1; agent-access=x=y; xagent-access=2; agent-accessx=3; agent-access=z'
  expect(accessCookies(sent, false)).toEqual(['x=y', 'z'])
  expect(accessCookies(sent, true)).toEqual([])
})
