import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { sha256Hex } from '../platform/crypto.ts'
import { PlatformError } from '../platform/errors.ts'
import type { Route } from './route.ts'

/** spec.md, Conventions: what a body may have unless its route says otherwise. */
const megabyte = 1_048_576

/** A length that was declared and is small enough is enough to know: looking at the body may make a stream of it. */
export function rejectLargeBody({
  mostBodyBytes: maxSize = megabyte,
}: Pick<Route<never>, 'mostBodyBytes'>): MiddlewareHandler {
  const limitBody = bodyLimit({
    maxSize,
    onError: () => {
      const most = `${maxSize / megabyte} MB`
      throw new PlatformError('payload-too-large', `The request body is larger than ${most}`)
    },
  })
  return (context, next) => {
    const { headers } = context.req.raw
    const declared = Number(headers.get('content-length') ?? Number.NaN)
    const small = declared <= maxSize && !headers.has('transfer-encoding')
    return small ? next() : limitBody(context, next)
  }
}

/** What tells two bodies apart. One that is no JSON is left for the handler, and may be no text at all. */
export async function bodyTextOf(
  { rawBody }: Pick<Route<never>, 'rawBody'>,
  { req }: Context,
): Promise<string> {
  if (rawBody === undefined) return req.text()
  return sha256Hex(new Uint8Array(await req.raw.clone().arrayBuffer()))
}
