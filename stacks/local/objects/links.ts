import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Pages } from '../surfaces/surface.ts'
import { bucket, keyIn } from './files.ts'
import { rangeOf } from './range.ts'
import { openStore } from './store.ts'

/** Returns OBJECT_LINKS_KEY. It is the same at every start, so links stay valid after a restart. */
export function linksKey(encryptionKey: string): string {
  return createHmac('sha256', encryptionKey).update('links of objects').digest('base64url')
}

export interface LinksOptions {
  dir: string
  key: string
  /** WEB_URL, the base of the links. */
  webUrl: string
  /** Called after an object was stored by a link. */
  onCreated?: (object: { key: string; bytes: number; tag: string }) => Promise<void>
}

/** Serves presigned links to objects as S3 does. The platform signs them with the same code as on AWS. */
export function objectPages(options: LinksOptions): Pages {
  const store = openStore(options.dir)

  /** Stores the body of a request as a new object. */
  async function create(key: string, request: IncomingMessage, response: ServerResponse) {
    const tag = await store.create(key, request)
    if (tag === undefined) return refuse(response, 412, 'The link was used before')
    const bytes = Number(request.headers['content-length'])
    await options.onCreated?.({ key, bytes, tag })
    response.writeHead(200, { etag: tag }).end()
  }

  return {
    takes: (pathname) => pathname.startsWith(`/${bucket}/`),

    async serve(request, response, target) {
      response.setHeader('x-request-id', `req_${randomUUID()}`)
      response.setHeader('x-content-type-options', 'nosniff')
      response.setHeader('cache-control', 'no-store')
      const isUpload = request.method === 'PUT'
      if (!isUpload && request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD, PUT')
        return refuse(response, 405, 'Method not allowed')
      }
      const key = keyIn(target.pathname)
      if (key === undefined) return refuse(response, 404, 'Not found')
      if (!(await isGood(options, key, { query: target.searchParams, request })))
        return refuse(response, 403, 'The link is invalid or has expired')
      if (isUpload) return create(key, request, response)
      const size = await store.sizeOf(key)
      if (size === undefined) return refuse(response, 404, 'Not found')
      const range = rangeOf(request.headers.range, size)
      if (range === 'none') {
        response.setHeader('content-range', `bytes */${size}`)
        return refuse(response, 416, 'The requested range is outside the file')
      }
      const { start, end } = range ?? { start: 0, end: size - 1 }
      if (range !== undefined) response.setHeader('content-range', `bytes ${start}-${end}/${size}`)
      const parameter = (name: string) => target.searchParams.get(name) ?? ''
      response.writeHead(range === undefined ? 200 : 206, {
        'accept-ranges': 'bytes',
        'content-length': end - start + 1,
        'content-type': parameter('response-content-type'),
        'content-disposition': parameter('response-content-disposition'),
        'content-security-policy': "default-src 'none'; sandbox",
      })
      if (request.method === 'HEAD' || size === 0) response.end()
      else await pipeline(store.read(key, { start, end }), response)
    },
  }
}

/** The longest lifetime of a link: S3's own limit, seven days. */
const longestSeconds = 604_800

/** Returns whether the platform signed exactly this link and it has not expired. */
async function isGood(
  { key: secretAccessKey, webUrl }: LinksOptions,
  key: string,
  { query, request }: { query: URLSearchParams; request: IncomingMessage },
): Promise<boolean> {
  const made = dateIn(query.get('X-Amz-Date') ?? '')
  const seconds = Number(query.get('X-Amz-Expires'))
  if (made === undefined || !Number.isInteger(seconds)) return false
  if (seconds < 1 || seconds > longestSeconds) return false
  if (Date.now() >= made.getTime() + seconds * 1000) return false
  const [{ GetObjectCommand, PutObjectCommand, S3Client }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ])
  const client = new S3Client({
    endpoint: webUrl,
    forcePathStyle: true,
    region: 'us-east-1',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    credentials: { accessKeyId: 'links', secretAccessKey },
  })
  const object = { Bucket: bucket, Key: key }
  const signing = { expiresIn: seconds, signingDate: made }
  const { headers, method } = request
  const right =
    method === 'PUT'
      ? await getSignedUrl(
          client,
          // The signature covers these headers, so it is valid only for the size of this body.
          new PutObjectCommand({
            ...object,
            ContentLength: Number(headers['content-length']),
            IfNoneMatch: headers['if-none-match'],
          }),
          signing,
        )
      : await getSignedUrl(
          client,
          new GetObjectCommand({
            ...object,
            ResponseContentDisposition: query.get('response-content-disposition') ?? undefined,
            ResponseContentType: query.get('response-content-type') ?? undefined,
          }),
          signing,
        )
  client.destroy()
  return equal(new URL(right).searchParams, query)
}

/** Compares in constant time, so that the duration reveals nothing about the expected signature. */
function equal(right: URLSearchParams, actual: URLSearchParams): boolean {
  const [one, other] = [right, actual].map((query) => {
    const sorted = new URLSearchParams(query)
    sorted.sort()
    return createHmac('sha256', 'compared').update(sorted.toString()).digest()
  })
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

/** Parses a date such as `20261122T180000Z`. */
function dateIn(text: string): Date | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
  if (second === undefined) return undefined
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error }))
}
