import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type MockProvider,
  startMockProvider,
} from '#tests/support/accounts/mock-identity-provider.ts'
import {
  claimsOf,
  type SecurityEvents,
  startSecurityEvents,
} from '#tests/support/accounts/security-events.ts'

let idp: MockProvider
let events: SecurityEvents

beforeAll(async () => {
  idp = await startMockProvider()
  events = await startSecurityEvents({ IDP_ISSUER: idp.issuer })
})
afterAll(async () => {
  await events.close()
  await idp.close()
})
afterEach(() => {
  vi.useRealTimers()
})

const honest = (change = {}) => ({ ...claimsOf(idp.issuer, 'verification'), ...change })

describe('the provider’s keys', () => {
  it('are fetched once a day, and not for a token of another issuer or audience', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const fresh = await startSecurityEvents({ IDP_ISSUER: idp.issuer }, events.accounts)
    Object.assign(idp.asked, { configuration: 0, keys: 0 })
    await fresh.post(await idp.sign(honest({ iss: 'https://evil.example' })))
    await fresh.post(await idp.sign(honest({ aud: 'another' })))
    expect(idp.asked).toEqual({ configuration: 0, keys: 0 })
    for (const hours of [0, 12, 11.9]) {
      vi.setSystemTime(Date.now() + hours * 3_600_000)
      expect((await fresh.post(await idp.sign(honest()))).status).toBe(202)
    }
    expect(idp.asked).toEqual({ configuration: 1, keys: 1 })
    vi.setSystemTime(Date.now() + 3_600_000)
    expect((await fresh.post(await idp.sign(honest()))).status).toBe(202)
    expect(idp.asked).toEqual({ configuration: 2, keys: 2 })
    await fresh.close()
  })

  it('are fetched once more for a new key id, and not again for many unknown ones', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const fresh = await startSecurityEvents({ IDP_ISSUER: idp.issuer }, events.accounts)
    expect((await fresh.post(await idp.sign(honest()))).status).toBe(202)
    Object.assign(idp.asked, { configuration: 0, keys: 0 })
    vi.setSystemTime(Date.now() + 60_000)
    const rotated = await idp.server.issuer.keys.generate('ES256')
    const header = { alg: 'ES256', kid: rotated.kid }
    expect((await fresh.post(await idp.sign(honest(), header, rotated))).status).toBe(202)
    const flood = Array.from({ length: 50 }, async (_, i) =>
      fresh.post(await idp.sign(honest(), { kid: `unknown-${i}` })),
    )
    const answers = await Promise.all(flood)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
    expect(idp.asked).toEqual({ configuration: 0, keys: 1 })
    await fresh.close()
  })

  it('are fetched once more for a key that the provider has just started to use', async () => {
    const fresh = await startSecurityEvents({ IDP_ISSUER: idp.issuer }, events.accounts)
    expect((await fresh.post(await idp.sign(honest()))).status).toBe(202)
    Object.assign(idp.asked, { configuration: 0, keys: 0 })
    const rotated = await idp.server.issuer.keys.generate('ES256')
    const header = { alg: 'ES256', kid: rotated.kid }
    expect((await fresh.post(await idp.sign(honest(), header, rotated))).status).toBe(202)
    for (let i = 0; i < 20; i++)
      expect((await fresh.post(await idp.sign(honest(), { kid: `unknown-${i}` }))).status).toBe(400)
    expect((await fresh.post(await idp.sign(honest(), header, rotated))).status).toBe(202)
    expect(idp.asked).toEqual({ configuration: 0, keys: 1 })
    await fresh.close()
  })

  it('are not fetched again and again while they are unavailable', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    let requestCount = 0
    const configuration = { status: 503, jwks_uri: `${idp.issuer}/risc-keys` }
    idp.server.service.addRoute('GET', '/elsewhere', (_, response) => {
      requestCount++
      response.writeHead(configuration.status).end(JSON.stringify(configuration))
    })
    const fresh = await startSecurityEvents(
      { IDP_ISSUER: idp.issuer, IDP_RISC_CONFIGURATION_URL: `${idp.issuer}/elsewhere` },
      events.accounts,
    )
    for (let i = 0; i < 5; i++)
      expect((await fresh.post(await idp.sign(honest()))).status).toBe(400)
    expect(requestCount).toBe(1)
    configuration.status = 200
    vi.setSystemTime(Date.now() + 60_000)
    expect((await fresh.post(await idp.sign(honest()))).status).toBe(202)
    expect(requestCount).toBe(2)
    await fresh.close()
  })

  it('are fetched without TLS only from a local machine', async () => {
    const uri = `http://0.0.0.0:${new URL(idp.issuer).port}/risc-keys`
    idp.server.service.addRoute('GET', '/in-the-clear', (_, response) => {
      response.end(JSON.stringify({ issuer: idp.issuer, jwks_uri: uri }))
    })
    const configurationUrl = `${idp.issuer}/in-the-clear`
    const fresh = await startSecurityEvents(
      { IDP_ISSUER: idp.issuer, IDP_RISC_CONFIGURATION_URL: configurationUrl },
      events.accounts,
    )
    expect((await fetch(uri)).ok).toBe(true)
    expect((await fresh.post(await idp.sign(honest()))).status).toBe(400)
    await fresh.close()
  })

  it('are never fetched without TLS once deployed', async () => {
    const fresh = await startSecurityEvents(
      { deployed: true, IDP_ISSUER: idp.issuer },
      events.accounts,
    )
    Object.assign(idp.asked, { configuration: 0, keys: 0 })
    expect((await fresh.post(await idp.sign(honest()))).status).toBe(400)
    expect(idp.asked).toEqual({ configuration: 0, keys: 0 })
    await fresh.close()
  })
})
