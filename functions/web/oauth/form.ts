import { oauthError } from '#shared/accounts/oauth/errors.ts'

/**
 * Reads the fields of an OAuth request. Each field can occur once: RFC 6749, section 3.2.
 * @throws PlatformError 400 invalid_request
 */
export async function readForm(request: Request): Promise<Record<string, string | undefined>> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    throw oauthError('invalid_request', 'Content-Type must be application/x-www-form-urlencoded')
  return fieldsOf(new URLSearchParams(await request.text()))
}

/** Reads the fields of a query. Empty fields count as absent. */
export function fieldsOf(parameters: URLSearchParams): Record<string, string | undefined> {
  const fields = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (fields.has(name)) throw oauthError('invalid_request', 'A parameter must not be repeated')
    fields.set(name, value)
  }
  return Object.fromEntries([...fields].filter(([, value]) => value !== ''))
}
