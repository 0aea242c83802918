/**
 * Names the ignored fields of a request in `x-ignored-fields`.
 * @returns the same response
 */
export function namingIgnored(response: Response, fields: readonly string[]): Response {
  if (fields.length > 0) response.headers.set('x-ignored-fields', namesIn(fields))
  return response
}

/** Returns names as the value of a header. A caller can name any number of fields, in any characters. */
function namesIn(fields: readonly string[]): string {
  return fields
    .slice(0, 20)
    .map((name) => encodeURIComponent(name.slice(0, 64).toWellFormed()))
    .join(', ')
}
