import { Resource } from './resource.ts'

/** The models that can be asked. */
export class Models extends Resource {
  /** The models that the providers have now */
  list = this.op('GET /api/models', 'models')
}

/** Models, asked without an account. */
export class Demo extends Resource {
  /** The models that may be asked without an account, the default first */
  describe = this.op('GET /api/demo/chat')

  /** Ask a model something without an account */
  send = this.opWithBody('POST /api/demo/chat')
}

/** How the platform is. */
export class Health extends Resource {
  /** How the machine behind the web surface is doing */
  get = this.op('GET /api/health')

  /** Whether this surface can do its work */
  ready = this.op('GET /health/ready')
}

/** What the platform says of its API. */
export class Documents extends Resource {
  /** This reference as a page */
  reference = this.op('GET /docs')

  /** This document */
  openApi = this.op('GET /openapi.json')
}

const securityEvent = 'application/secevent+jwt'

/** Security events of the identity provider. */
export class SecurityEvents extends Resource {
  /** Take a security event token, as earlier integrations send it */
  receiveLegacy = this.opWithBody('POST /api/auth/idp/risc', undefined, securityEvent)

  /** What the security event receiver takes */
  describe = this.op('GET /api/security/risc')

  /** Take a security event token of the identity provider (RISC) */
  receive = this.opWithBody('POST /api/security/risc', undefined, securityEvent)
}

/** Events of other services. */
export class Webhooks extends Resource {
  /** Take a signed event of the email provider */
  receiveEmail = this.opWithBody('POST /api/webhooks/email')

  /** Take a signed event of the streaming provider */
  receiveStreaming = this.opWithBody('POST /api/webhooks/streaming')
}
