export type Values = Record<string, unknown>

/**
 * Reads the response of a service.
 * @param body JSON text
 * @throws Error with the name that the service gives it, such as `ThrottlingException`, and the fields of the response
 */
export function valuesOf({ status, body }: { status: number; body: string }): Values {
  if (status === 200) return parse(body)
  throw errorOf(status, body)
}

function errorOf(status: number, body: string): Error {
  const { __type: type, message, Message: other, ...rest } = parsedError(body)
  const name = typeof type === 'string' ? type.replace(/^.*#/, '') : 'UnknownError'
  const text = message ?? other
  const error = new Error(typeof text === 'string' ? text : `${name}, status ${status}`)
  return Object.assign(error, rest, { name, $metadata: { httpStatusCode: status } })
}

function parsedError(body: string): Values {
  try {
    return parse(body)
  } catch {
    // A load balancer answers in HTML.
    return {}
  }
}

const binaries = /"BS?":/

function parse(text: string): Values {
  // A reviver takes longer than all other steps, and rows rarely contain bytes.
  if (!binaries.test(text)) return JSON.parse(text) as Values
  return JSON.parse(text, (name, value: unknown) => {
    if (name === 'B' && typeof value === 'string') return bytesOf(value)
    if (name === 'BS' && Array.isArray(value)) return value.map((each) => bytesOf(String(each)))
    return value
  }) as Values
}

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}
