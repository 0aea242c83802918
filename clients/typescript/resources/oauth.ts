import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** Letting programs in; the bodies of `deviceAuthorization`, `revoke` and `token` are forms. */
export class OAuth extends Resource {
  /** What this authorization server can do (RFC 8414) */
  server(options?: RequestOptions) {
    return this.client.call('GET /.well-known/oauth-authorization-server', {}, options)
  }

  /** What access tokens are for (RFC 9728) */
  resource(options?: RequestOptions) {
    return this.client.call('GET /.well-known/oauth-protected-resource', {}, options)
  }

  /** What access tokens are for (RFC 9728) */
  mcpResource(options?: RequestOptions) {
    return this.client.call('GET /.well-known/oauth-protected-resource/mcp', {}, options)
  }

  /** Ask the user to let a program in, by PKCE with S256 */
  authorize(query?: QueryOf<'GET /oauth/authorize'>, options?: RequestOptions) {
    return this.client.call('GET /oauth/authorize', { query }, options)
  }

  /** The device that shows a code */
  getDevice(query: QueryOf<'GET /oauth/device'>, options?: RequestOptions) {
    return this.client.call('GET /oauth/device', { query }, options)
  }

  /** Let the device in that shows a code, or refuse it */
  decideDevice(body: BodyOf<'POST /oauth/device'>, options?: RequestOptions) {
    return this.client.call('POST /oauth/device', { body }, options)
  }

  /** Codes for a device without a browser (RFC 8628) */
  deviceAuthorization(body: BodyOf<'POST /oauth/device_authorization'>, options?: RequestOptions) {
    return this.client.call('POST /oauth/device_authorization', { body }, options)
  }

  /** Register a program that asks users for access (RFC 7591) */
  register(body: BodyOf<'POST /oauth/register'>, options?: RequestOptions) {
    return this.client.call('POST /oauth/register', { body }, options)
  }

  /** What a program asks the user for */
  getRequest(id: string, options?: RequestOptions) {
    return this.client.call('GET /oauth/requests/{id}', { params: { id } }, options)
  }

  /** Let the program in, or refuse it */
  decideRequest(id: string, body: BodyOf<'POST /oauth/requests/{id}'>, options?: RequestOptions) {
    return this.client.call('POST /oauth/requests/{id}', { params: { id }, body }, options)
  }

  /** End what a token opens, with all tokens of its grant (RFC 7009) */
  revoke(body: BodyOf<'POST /oauth/revoke'>, options?: RequestOptions) {
    return this.client.call('POST /oauth/revoke', { body }, options)
  }

  /** Tokens for a code, a device code or a refresh token */
  token(body: BodyOf<'POST /oauth/token'>, options?: RequestOptions) {
    return this.client.call('POST /oauth/token', { body }, options)
  }
}

/** Agents as tools of models. */
export class Mcp extends Resource {
  /** MCP: the caller’s agents as tools, by an API key or an access token as bearer */
  call(body: BodyOf<'POST /mcp'>, query?: QueryOf<'POST /mcp'>, options?: RequestOptions) {
    return this.client.call('POST /mcp', { body, query }, options)
  }
}
