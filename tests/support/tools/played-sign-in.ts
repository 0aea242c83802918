import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A document, or a function that writes the response itself. */
export type PlayedDocument = object | string | ((response: ServerResponse) => unknown)

/** Starts a host that plays an MCP server at `/mcp` and its authorization server, by their documents alone. */
export async function startPlayedSignIn() {
  const played = {
    /** The documents by path. */
    documents: {} as Record<string, PlayedDocument>,
    /** The header `www-authenticate` of `/mcp`. */
    challenge: undefined as string | undefined,
    /** The requests that arrived: `GET /register`. */
    asked: [] as string[],
    /** The bodies that arrived, by path. */
    bodies: {} as Record<string, string>,
  }
  const server = createServer((request, response) => {
    const { documents, challenge, asked, bodies } = played
    const path = request.url ?? ''
    asked.push(`${request.method} ${path}`)
    request.on('data', (chunk: Buffer) => {
      bodies[path] = `${bodies[path] ?? ''}${chunk.toString()}`
    })
    const document = documents[path]
    if (typeof document === 'function') document(response)
    else if (path.startsWith('/mcp'))
      response
        .writeHead(401, challenge === undefined ? {} : { 'www-authenticate': challenge })
        .end()
    else if (document === undefined) response.writeHead(404).end()
    else
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const origin = `http://${host}`
  return {
    played,
    host,
    origin,
    /** Forgets all documents and requests. */
    reset() {
      Object.assign(played, { documents: {}, challenge: undefined, asked: [], bodies: {} })
    },
    /** Returns the metadata of the authorization server. */
    metadata: (issuer = origin, more: object = {}) => ({
      issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      ...more,
    }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The response to a registration. */
export const registered = { client_id: 'platform', token_endpoint_auth_method: 'none' }

export const rfc9728 = '/.well-known/oauth-protected-resource'
export const rfc8414 = '/.well-known/oauth-authorization-server'
