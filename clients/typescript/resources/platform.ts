import { Resource } from './resource.ts'

/** The available models. */
export class Models extends Resource {
  /** Lists the models that the providers offer now. */
  list = this.op('GET /api/models', 'models')
}

/** Chat without an account. */
export class Demo extends Resource {
  /** Lists the models that are available without an account, the default first. */
  describe = this.op('GET /api/demo/chat')

  /** Sends a prompt to a model without an account. */
  send = this.opWithBody('POST /api/demo/chat')
}

/** The health of the platform. */
export class Health extends Resource {
  /** Returns the health of the machine behind the web surface. */
  get = this.op('GET /api/health')

  /** Returns whether this surface is ready. */
  ready = this.op('GET /health/ready')
}

/** The documents of the API. */
export class Documents extends Resource {
  /** Returns the API reference as an HTML page. */
  reference = this.op('GET /docs')

  /** Returns the OpenAPI document. */
  openApi = this.op('GET /openapi.json')
}

const securityEvent = 'application/secevent+jwt'

/** Security events from the identity provider. */
export class SecurityEvents extends Resource {
  /** Receives a security event token in the form that older integrations send. */
  receiveLegacy = this.opWithBody('POST /api/auth/idp/risc', undefined, securityEvent)

  /** Describes the receiver of security events. */
  describe = this.op('GET /api/security/risc')

  /** Receives a security event token from the identity provider (RISC). */
  receive = this.opWithBody('POST /api/security/risc', undefined, securityEvent)
}

/** Webhook events from other services. */
export class Webhooks extends Resource {
  /** Receives a signed event from the email provider. */
  receiveEmail = this.opWithBody('POST /api/webhooks/email')

  /** Receives a signed event from the streaming provider. */
  receiveStreaming = this.opWithBody('POST /api/webhooks/streaming')
}
