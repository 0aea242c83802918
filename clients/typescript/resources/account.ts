import { Resource } from './resource.ts'

/** The caller’s account as a whole. */
export class Account extends Resource {
  /** Delete the account with its agents, keys and sessions */
  delete = this.opWithBody('POST /api/account/delete')
}

/** Where spans of the caller’s work are sent. */
class Telemetry extends Resource {
  /** Where spans of the caller’s work are sent */
  get = this.op('GET /api/settings/telemetry')

  /** Have spans of the caller’s work sent to a collector by OTLP, or to none */
  set = this.opWithBody('PUT /api/settings/telemetry')

  /** Send a span to the caller’s collector, and answer its status */
  test = this.op('POST /api/settings/telemetry/test')
}

/** The caller’s profile. */
export class Settings extends Resource {
  readonly telemetry = new Telemetry(this.client)

  /** The current user’s profile */
  get = this.op('GET /api/settings')

  /** Change the name, or the email once a link mailed to it is opened */
  changeAccount = this.opWithBody('POST /api/settings')

  /** Change the name, the notifications or the monthly spend cap */
  update = this.opWithBody('PATCH /api/settings')

  /** Change the password and sign every other device out */
  changePassword = this.opWithBody('POST /api/settings/password')
}

/** The caller’s API keys. */
export class Keys extends Resource {
  /** The caller's API keys, newest first */
  list = this.op('GET /api/keys', 'keys')

  /** Make an API key */
  create = this.opWithBody('POST /api/keys')

  /** Whose API key it is, and what it opens */
  validate = this.opWithBody('POST /api/keys/validate')

  /** One of the caller’s API keys */
  get = this.op('GET /api/keys/{id}')

  /** Delete an API key, which opens nothing from then on */
  delete = this.op('DELETE /api/keys/{id}')
}

/** How often the caller’s installation is to be heard of. */
export class Heartbeat extends Resource {
  /** How often the caller wants their installation to be heard of, and when it was */
  get = this.op('GET /api/heartbeat', 'heartbeat')

  /** Change how often the caller wants their installation to be heard of */
  update = this.opWithBody('POST /api/heartbeat')

  /** Set the heartbeat back to every three hours */
  reset = this.op('DELETE /api/heartbeat')
}

/** What was changed of the caller’s account, access and money. */
export class Audit extends Resource {
  /** Every change of the caller’s account, access and money, oldest first: one entry a line, each chained to the one before it by its hash */
  read = this.opWithQuery('GET /api/audit')
}
