import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/operation.ts'
import { Resource } from './resource.ts'

const form = 'application/x-www-form-urlencoded'

/** Letting programs in; the bodies of `deviceAuthorization`, `revoke` and `token` are forms. */
export class OAuth extends Resource {
  /** What this authorization server can do (RFC 8414) */
  server = this.op('GET /.well-known/oauth-authorization-server')

  /** What access tokens are for (RFC 9728) */
  resource = this.op('GET /.well-known/oauth-protected-resource')

  /** What access tokens are for (RFC 9728) */
  mcpResource = this.op('GET /.well-known/oauth-protected-resource/mcp')

  /** Ask the user to let a program in, by PKCE with S256 */
  authorize = this.opWithQuery('GET /oauth/authorize')

  /** The device that shows a code */
  getDevice = this.opWithQuery('GET /oauth/device')

  /** Let the device in that shows a code, or refuse it */
  decideDevice = this.opWithBody('POST /oauth/device')

  /** Codes for a device without a browser (RFC 8628) */
  deviceAuthorization = this.opWithBody('POST /oauth/device_authorization', undefined, form)

  /** Register a program that asks users for access (RFC 7591) */
  register = this.opWithBody('POST /oauth/register')

  /** What a program asks the user for */
  getRequest = this.op('GET /oauth/requests/{id}')

  /** Let the program in, or refuse it */
  decideRequest = this.opWithBody('POST /oauth/requests/{id}')

  /** End what a token opens, with all tokens of its grant (RFC 7009) */
  revoke = this.opWithBody('POST /oauth/revoke', undefined, form)

  /** Tokens for a code, a device code or a refresh token */
  token = this.opWithBody('POST /oauth/token', undefined, form)
}

/** Agents as tools of models. */
export class Mcp extends Resource {
  /** MCP: the caller’s agents as tools, by an API key or an access token as bearer */
  call(body: BodyOf<'POST /mcp'>, query?: QueryOf<'POST /mcp'>, options?: RequestOptions) {
    return this.client.call('POST /mcp', { body, query }, options)
  }
}
