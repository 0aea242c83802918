import { Resource } from './resource.ts'

/** The sign-ins of connections, which browsers and authorization servers use. */
export class ConnectionSignIns extends Resource {
  /** Finishes the sign-in of a connection. An authorization server leads the caller’s browser here. */
  finishSignIn = this.op('GET /api/connections/callback')

  /** Returns the platform’s metadata as an OAuth client. */
  getClient = this.op('GET /api/connections/client')
}
