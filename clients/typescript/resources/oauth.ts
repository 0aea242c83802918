import type { BodyOf, QueryOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import { Resource } from './resource.ts'

const form = 'application/x-www-form-urlencoded'

/** The consent of a user at the OAuth 2.1 authorization server. */
export class OAuthConsent extends Resource {
  /** Returns the metadata of the authorization server (RFC 8414). */
  server = this.op('GET /.well-known/oauth-authorization-server')

  /** Returns the device that shows a user code. */
  getDevice = this.opWithQuery('GET /oauth/device')

  /** Approves or denies the device that shows a user code. */
  decideDevice = this.opWithBody('POST /oauth/device')

  /** Returns an authorization request: the program and the scopes that it asks for. */
  getRequest = this.op('GET /oauth/requests/{id}')

  /** Approves or denies an authorization request. */
  decideRequest = this.opWithBody('POST /oauth/requests/{id}')
}

/** The OAuth 2.1 authorization server. The bodies of `deviceAuthorization`, `revoke` and `token` are forms. */
export class OAuth extends OAuthConsent {
  /** Returns the metadata of the protected resource (RFC 9728). */
  resource = this.op('GET /.well-known/oauth-protected-resource')

  /** Returns the metadata of the protected resource `/mcp` (RFC 9728). */
  mcpResource = this.op('GET /.well-known/oauth-protected-resource/mcp')

  /** Asks the user to authorize a program, with PKCE (S256). */
  authorize = this.opWithQuery('GET /oauth/authorize')

  /** Creates a device code and user code for a device without a browser (RFC 8628). */
  deviceAuthorization = this.opWithBody('POST /oauth/device_authorization', undefined, form)

  /** Registers a client program (RFC 7591). */
  register = this.opWithBody('POST /oauth/register')

  /** Revokes a token and all tokens of its grant (RFC 7009). */
  revoke = this.opWithBody('POST /oauth/revoke', undefined, form)

  /** Exchanges an authorization code, device code or refresh token for tokens. */
  token = this.opWithBody('POST /oauth/token', undefined, form)
}

/** The MCP server with the platform’s tools. */
export class Mcp extends Resource {
  /** Sends an MCP message. Authorize with an API key or access token as bearer token. */
  call(body: BodyOf<'POST /mcp'>, query?: QueryOf<'POST /mcp'>, options?: RequestOptions) {
    return this.client.call('POST /mcp', { body, query }, options)
  }
}
