import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** The caller’s account as a whole. */
export class Account extends Resource {
  /** Delete the account with its agents, keys and sessions */
  delete(body: BodyOf<'POST /api/account/delete'>, options?: RequestOptions) {
    return this.client.call('POST /api/account/delete', { body }, options)
  }
}

/** The caller’s profile. */
export class Settings extends Resource {
  /** The current user’s profile */
  get(options?: RequestOptions) {
    return this.client.call('GET /api/settings', {}, options)
  }

  /** Change the name, or the email once a link mailed to it is opened */
  changeAccount(body: BodyOf<'POST /api/settings'>, options?: RequestOptions) {
    return this.client.call('POST /api/settings', { body }, options)
  }

  /** Change the name, the notifications or the monthly spend cap */
  update(body: BodyOf<'PATCH /api/settings'>, options?: RequestOptions) {
    return this.client.call('PATCH /api/settings', { body }, options)
  }

  /** Change the password and sign every other device out */
  changePassword(body: BodyOf<'POST /api/settings/password'>, options?: RequestOptions) {
    return this.client.call('POST /api/settings/password', { body }, options)
  }
}

/** The caller’s API keys. */
export class Keys extends Resource {
  /** The caller's API keys, newest first */
  list(options?: RequestOptions) {
    return this.client.call('GET /api/keys', {}, options, 'keys')
  }

  /** Make an API key */
  create(body: BodyOf<'POST /api/keys'>, options?: RequestOptions) {
    return this.client.call('POST /api/keys', { body }, options)
  }

  /** Whose API key it is, and what it opens */
  validate(body: BodyOf<'POST /api/keys/validate'>, options?: RequestOptions) {
    return this.client.call('POST /api/keys/validate', { body }, options)
  }

  /** One of the caller’s API keys */
  get(id: string, options?: RequestOptions) {
    return this.client.call('GET /api/keys/{id}', { params: { id } }, options)
  }

  /** Delete an API key, which opens nothing from then on */
  delete(id: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/keys/{id}', { params: { id } }, options)
  }
}

/** How often the caller’s installation is to be heard of. */
export class Heartbeat extends Resource {
  /** How often the caller wants their installation to be heard of, and when it was */
  get(options?: RequestOptions) {
    return this.client.call('GET /api/heartbeat', {}, options, 'heartbeat')
  }

  /** Change how often the caller wants their installation to be heard of */
  update(body: BodyOf<'POST /api/heartbeat'>, options?: RequestOptions) {
    return this.client.call('POST /api/heartbeat', { body }, options)
  }

  /** Set the heartbeat back to every three hours */
  reset(options?: RequestOptions) {
    return this.client.call('DELETE /api/heartbeat', {}, options)
  }
}

/** What was changed of the caller’s account, access and money. */
export class Audit extends Resource {
  /** Every change of the caller’s account, access and money, oldest first: one entry a line, each chained to the one before it by its hash */
  read(query?: QueryOf<'GET /api/audit'>, options?: RequestOptions) {
    return this.client.call('GET /api/audit', { query }, options)
  }
}
