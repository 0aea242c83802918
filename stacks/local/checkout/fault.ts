interface Details {
  status?: number
  type?: 'invalid_request_error' | 'idempotency_error' | 'api_error'
  code?: string
  param?: string
}

/** An error in Stripe's format. */
export class Fault extends Error {
  readonly status: number
  readonly error: { type: string; message: string; code?: string; param?: string }

  constructor(message: string, details: Details = {}) {
    super(message)
    this.name = 'Fault'
    const { status = 400, type = 'invalid_request_error', ...rest } = details
    this.status = status
    this.error = { type, message, ...rest }
  }
}

/** @param param the parameter with the id; without it, the id is in the path and the status is 404 */
export function noSuch(what: string, id: string, param?: string): Fault {
  return new Fault(`No such ${what}: '${id}'`, {
    status: param === undefined ? 404 : 400,
    code: 'resource_missing',
    param: param ?? 'id',
  })
}
