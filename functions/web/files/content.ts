import { type Conditions, etagOf, matches, requireConditions } from '#shared/agents/files/etag.ts'
import { directBytes, type ReadFile } from '#shared/agents/files/read.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { rangeOf } from './range.ts'

/** The headers of a conditional change. */
export const conditionHeaders = {
  'if-match': 'Refuses the change with 412 unless the file has this ETag',
  'if-none-match': '`*` refuses the change with 412 if the file exists',
}

/** Returns the ETags of the headers If-Match and If-None-Match. */
export function conditionsOf({ headers }: Pick<Request, 'headers'>): Conditions {
  return {
    ifMatch: headers.get('if-match') ?? undefined,
    ifNoneMatch: headers.get('if-none-match') ?? undefined,
  }
}

/** Answers a request for a file: whole, a range of it, 304, or 307 to a link. @throws PlatformError 412, 416 */
export async function fileResponse({ headers }: Request, file: ReadFile): Promise<Response> {
  const { size, tag } = file
  const etag = etagOf(tag)
  const { ifMatch } = conditionsOf({ headers })
  requireConditions({ ifMatch }, tag)
  const known = headers.get('if-none-match')
  if (known !== null && matches(known, tag, 'weak'))
    return new Response(null, { status: 304, headers: { etag } })
  if (size > directBytes)
    return new Response(null, { status: 307, headers: { etag, location: await file.link() } })
  // RFC 9110, 13.1.5: another version of the file is sent whole.
  const isSame = headers.get('if-range') === null || headers.get('if-range') === etag
  const range = isSame ? rangeOf(headers.get('range'), size) : undefined
  if (range === 'none')
    throw new PlatformError('range-not-satisfiable', 'The requested range is outside the file', {
      headers: { 'Content-Range': `bytes */${size}` },
    })
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const body = await file.read(start, end - start + 1)
  return new Response(new Uint8Array(body), {
    status: range === undefined ? 200 : 206,
    headers: {
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
      etag,
      ...(range !== undefined && { 'content-range': `bytes ${start}-${end}/${size}` }),
    },
  })
}
