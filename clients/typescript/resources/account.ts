import { Resource } from './resource.ts'

/** The caller’s account. */
export class Account extends Resource {
  /** Deletes the account with its agents, keys and sessions. */
  delete = this.opWithBody('POST /api/account/delete')
}

/** The export of the caller’s spans to an OpenTelemetry collector. */
class Telemetry extends Resource {
  /** Returns the collector that receives spans of the caller’s requests. */
  get = this.op('GET /api/settings/telemetry')

  /** Sets the collector that receives spans of the caller’s requests by OTLP, or stops the export. */
  set = this.opWithBody('PUT /api/settings/telemetry')

  /** Sends a test span to the caller’s collector and returns the collector's status. */
  test = this.op('POST /api/settings/telemetry/test')
}

/** The caller’s profile. */
export class Settings extends Resource {
  readonly telemetry = new Telemetry(this.client)

  /** Returns the caller’s profile. */
  get = this.op('GET /api/settings')

  /** Changes the name, or the email address. A new address takes effect when its owner opens the link sent to it. */
  changeAccount = this.opWithBody('POST /api/settings')

  /** Changes the name, the notifications or the monthly spend cap. */
  update = this.opWithBody('PATCH /api/settings')

  /** Changes the password and signs out all other devices. */
  changePassword = this.opWithBody('POST /api/settings/password')
}

/** The caller’s API keys. */
export class Keys extends Resource {
  /** Lists the caller’s API keys, newest first. */
  list = this.op('GET /api/keys', 'keys')

  /** Creates an API key. */
  create = this.opWithBody('POST /api/keys')

  /** Checks an API key and returns its user and scopes. */
  validate = this.opWithBody('POST /api/keys/validate')

  /** Returns one of the caller’s API keys. */
  get = this.op('GET /api/keys/{id}')

  /** Changes the name or the limits of an API key. */
  update = this.opWithBody('PATCH /api/keys/{id}')

  /** Deletes an API key. It stops working immediately. */
  delete = this.op('DELETE /api/keys/{id}')
}

/** The heartbeat of the caller’s installation. */
export class Heartbeat extends Resource {
  /** Returns the interval of the heartbeat and the time of the last one. */
  get = this.op('GET /api/heartbeat', 'heartbeat')

  /** Changes the interval of the heartbeat. */
  update = this.opWithBody('POST /api/heartbeat')

  /** Resets the interval of the heartbeat to three hours. */
  reset = this.op('DELETE /api/heartbeat')
}

/** The audit log of the caller’s account, access and money. */
export class Audit extends Resource {
  /**
   * Returns the changes of the caller’s account, access and money, oldest first: one entry per line. Each entry
   * contains the hash of the entry before it.
   */
  read = this.opWithQuery('GET /api/audit')
}
