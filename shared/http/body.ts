import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { sha256Hex } from '../platform/crypto.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Route } from './route.ts'

/** spec.md, Conventions: the maximum size of a body, unless the route sets another limit. */
const megabyte = 1_048_576

/** Reads no body whose declared length is small enough, because the read may turn it into a stream. */
export function rejectLargeBody({
  maxBodyBytes: maxSize = megabyte,
}: Pick<Route<never>, 'maxBodyBytes'>): MiddlewareHandler {
  const limitBody = bodyLimit({
    maxSize,
    onError: () => {
      const sizeText = `${maxSize / megabyte} MB`
      throw new PlatformError('payload-too-large', `The request body is larger than ${sizeText}`)
    },
  })
  return (context, next) => {
    const { headers } = context.req.raw
    const declared = Number(headers.get('content-length') ?? Number.NaN)
    const small = declared <= maxSize && !headers.has('transfer-encoding')
    return small ? next() : limitBody(context, next)
  }
}

/**
 * Returns the text that identifies a body. A body that is not JSON is not read here, because it may be binary; only the
 * handler reads it.
 */
export async function bodyTextOf(
  { rawBody }: Pick<Route<never>, 'rawBody'>,
  { req }: Context,
): Promise<string> {
  if (rawBody === undefined) return req.text()
  return sha256Hex(new Uint8Array(await req.raw.clone().arrayBuffer()))
}
