import type { RequestOptions } from '../core/options.ts'
import type { BodyOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** The models that can be asked. */
export class Models extends Resource {
  /** The models that the providers have now */
  list(options?: RequestOptions) {
    return this.client.call('GET /api/models', {}, options, 'models')
  }
}

/** Models, asked without an account. */
export class Demo extends Resource {
  /** The models that may be asked without an account, the default first */
  describe(options?: RequestOptions) {
    return this.client.call('GET /api/demo/chat', {}, options)
  }

  /** Ask a model something without an account */
  send(body: BodyOf<'POST /api/demo/chat'>, options?: RequestOptions) {
    return this.client.call('POST /api/demo/chat', { body }, options)
  }
}

/** How the platform is. */
export class Health extends Resource {
  /** How the machine behind the web surface is doing */
  get(options?: RequestOptions) {
    return this.client.call('GET /api/health', {}, options)
  }

  /** Whether this surface can do its work */
  ready(options?: RequestOptions) {
    return this.client.call('GET /health/ready', {}, options)
  }
}

/** What the platform says of its API. */
export class Documents extends Resource {
  /** This reference as a page */
  reference(options?: RequestOptions) {
    return this.client.call('GET /docs', {}, options)
  }

  /** This document */
  openApi(options?: RequestOptions) {
    return this.client.call('GET /openapi.json', {}, options)
  }
}

/** Security events of the identity provider. */
export class SecurityEvents extends Resource {
  /** Take a security event token, as earlier integrations send it */
  receiveLegacy(body: BodyOf<'POST /api/auth/idp/risc'>, options?: RequestOptions) {
    return this.client.call('POST /api/auth/idp/risc', { body }, options)
  }

  /** What the security event receiver takes */
  describe(options?: RequestOptions) {
    return this.client.call('GET /api/security/risc', {}, options)
  }

  /** Take a security event token of the identity provider (RISC) */
  receive(body: BodyOf<'POST /api/security/risc'>, options?: RequestOptions) {
    return this.client.call('POST /api/security/risc', { body }, options)
  }
}

/** Events of other services. */
export class Webhooks extends Resource {
  /** Take a signed event of the email provider */
  receiveEmail(body: BodyOf<'POST /api/webhooks/email'>, options?: RequestOptions) {
    return this.client.call('POST /api/webhooks/email', { body }, options)
  }

  /** Take a signed event of the streaming provider */
  receiveStreaming(body: BodyOf<'POST /api/webhooks/streaming'>, options?: RequestOptions) {
    return this.client.call('POST /api/webhooks/streaming', { body }, options)
  }
}
