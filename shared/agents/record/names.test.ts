import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentUrls, imageVersion, subdomainFor } from './names.ts'

describe('a subdomain', () => {
  it('is a valid DNS label for every name', () => {
    const id = 'agt_01h000000000000000abcdefgh'
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), (name) => {
        const subdomain = subdomainFor(name, id)
        expect(subdomain).toMatch(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?-abcdefgh$/)
        expect(subdomain.length).toBeLessThanOrEqual(49)
      }),
    )
  })
})

describe('an agent’s addresses', () => {
  it.each([
    [false, 'agents.localhost:3002', 'http://ada-1.agents.localhost:3002', 'ws:'],
    [true, 'agents.example.com', 'https://ada-1.agents.example.com', 'wss:'],
  ])('deployed %s at %s are %s', (deployed, AGENTS_DOMAIN, url, protocol) => {
    const urls = agentUrls('ada-1', { deployed, AGENTS_DOMAIN })
    expect(urls.url).toBe(url)
    expect(new URL(urls.websocketUrl).protocol).toBe(protocol)
  })
})

it.each([
  ['ghcr.io/openclaw/openclaw:2026.9.6', '2026.9.6'],
  ['localhost:5000/agent:1.2', '1.2'],
  ['localhost:5000/agent', null],
  ['agent:1.2@sha256:abc', '1.2'],
  ['agent@sha256:abc', null],
])('the version of %s is %s', (image, version) => {
  expect(imageVersion(image)).toBe(version)
})
