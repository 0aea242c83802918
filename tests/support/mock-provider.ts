import { importJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import { Events, type MutableResponse, OAuth2Server } from 'oauth2-mock-server'

export interface MockProvider {
  issuer: string
  server: OAuth2Server
  /** Its signing key, private part included. */
  key: JWK
  /** Signs what it is told to. @param key default: its own */
  sign(payload: JWTPayload, header?: Partial<JWTHeaderParameters>, key?: JWK): Promise<string>
  /** How often each of its key addresses was asked for. */
  asked: { configuration: number; keys: number }
  /** Makes the next answer of its token endpoint another one. */
  answerOnce(change: (answer: MutableResponse) => void): void
  /** Whom its user information endpoint tells of next; the subject is `johndoe`. */
  personOnce(person: object): void
  close(): Promise<void>
}

/** An OpenID Connect provider that can be made to lie, with a RISC configuration of its own. */
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
