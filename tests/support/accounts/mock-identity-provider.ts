import { importJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import { Events, type MutableResponse, OAuth2Server } from 'oauth2-mock-server'

export interface MockProvider {
  issuer: string
  server: OAuth2Server
  /** Its signing key, including the private part. */
  key: JWK
  /**
   * Signs a payload.
   * @param key default: its own
   */
  sign(payload: JWTPayload, header?: Partial<JWTHeaderParameters>, key?: JWK): Promise<string>
  /** The number of requests to each of its key endpoints. */
  asked: { configuration: number; keys: number }
  /** Changes the next response of its token endpoint. */
  answerOnce(change: (answer: MutableResponse) => void): void
  /** Sets the next response of its user information endpoint; its subject is `johndoe`. */
  personOnce(person: object): void
  close(): Promise<void>
}

/** An OpenID Connect provider with a RISC configuration of its own, which can return false data. */
export async function startMockProvider(): Promise<MockProvider> {
  const server = new OAuth2Server()
  const key = await server.issuer.keys.generate('RS256')
  const asked = { configuration: 0, keys: 0 }
  server.service.addRoute('GET', '/.well-known/risc-configuration', (_, response) => {
    asked.configuration++
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ issuer, jwks_uri: `${issuer}/risc-keys` }))
  })
  server.service.addRoute('GET', '/risc-keys', (_, response) => {
    asked.keys++
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ keys: server.issuer.keys.toJSON() }))
  })
  await server.start(0, '127.0.0.1')
  const issuer = server.issuer.url ?? ''
  return {
    issuer,
    server,
    key: key as JWK,
    asked,
    async sign(payload, header = {}, other = key as JWK) {
      const protectedHeader = { alg: 'RS256', kid: key.kid, ...header }
      return new SignJWT(payload)
        .setProtectedHeader(protectedHeader)
        .sign(await importJWK(other, protectedHeader.alg))
    },
    answerOnce(change) {
      server.service.once(Events.BeforeResponse, change)
    },
    personOnce(person) {
      server.service.once(Events.BeforeUserinfo, ({ body }: MutableResponse) => {
        Object.assign(body, person)
      })
    },
    close: () => server.stop(),
  }
}
