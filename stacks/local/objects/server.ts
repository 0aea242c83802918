import { mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { accessCheck } from '../clients/credentials.ts'
import { closeServer, listen } from '../server/listen.ts'
import { bucket, foldersIn, keyIn, removeParts } from './files.ts'
import { listPage } from './list.ts'
import { rangeOf } from './range.ts'
import { openStore } from './store.ts'
import { startSweeping } from './sweep.ts'

export interface ObjectsOptions {
  dir: string
  /** The required access key id; without it, every id passes. */
  accessKeyId?: string | undefined
}

export interface Objects {
  endpoint: string
  dir: string
  close(): Promise<void>
}

/** Starts the part of S3's API that the platform uses, on loopback. Every object becomes a file in `dir`. */
export async function startObjects({ dir, accessKeyId }: ObjectsOptions): Promise<Objects> {
  const access = accessCheck(accessKeyId)
  await removeParts(dir)
  const { whole, parts } = foldersIn(dir)
  for (const folder of [whole, parts]) await mkdir(folder, { recursive: true })
  const store = openStore(dir)
  const sweeping = startSweeping(whole)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (access(request.headers.authorization) !== undefined)
      return refuse(response, 403, 'InvalidAccessKeyId')
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://objects')
    if (request.method === 'GET' && query.get('list-type') === '2')
      return xml(response, 200, await listPage(whole, query))
    const key = keyIn(pathname)
    // The aws-chunked framing would be stored as part of the object.
    const framed = request.headers['content-encoding']?.includes('aws-chunked') === true
    if (key === undefined || framed) return refuse(response, 501, 'NotImplemented')
    const uploadId = query.get('uploadId')
    const call = `${request.method} ${uploadId === null ? '' : 'upload'}`
    if (call === 'GET ' || call === 'HEAD ') {
      const size = await store.sizeOf(key)
      if (size === undefined) return refuse(response, 404, 'NoSuchKey')
      const range = rangeOf(request.headers.range, size)
      if (range === 'none') return refuse(response, 416, 'InvalidRange')
      const { start, end } = range ?? { start: 0, end: size - 1 }
      response.writeHead(range === undefined ? 200 : 206, {
        'content-length': end - start + 1,
        ...(range !== undefined && { 'content-range': `bytes ${start}-${end}/${size}` }),
      })
      if (request.method === 'HEAD' || size === 0) response.end()
      else await pipeline(store.read(key, { start, end }), response)
      return
    }
    if (call === 'DELETE ') {
      await store.delete(key)
      response.writeHead(204).end()
      return
    }
    if (call === 'PUT ') return tagged(response, await store.put(key, request))
    if (call === 'POST ' && query.has('uploads')) {
      const made = tags({ Bucket: bucket, Key: key, UploadId: await store.begin() })
      return xml(
        response,
        200,
        `<InitiateMultipartUploadResult>${made}</InitiateMultipartUploadResult>`,
      )
    }
    if (call === 'PUT upload') {
      const part = Number(query.get('partNumber'))
      const source = request.headers['x-amz-copy-source']
      if (typeof source === 'string') {
        const from = keyIn(`/${decodeURIComponent(source).replace(/^\//, '')}`)
        const given = String(request.headers['x-amz-copy-source-range'] ?? '')
        const range = rangeOf(given, Number.MAX_SAFE_INTEGER)
        if (from === undefined || range === 'none') return refuse(response, 400, 'InvalidArgument')
        const ETag = await store.copyPart(uploadId ?? '', part, { key: from, range })
        if (ETag === undefined) return refuse(response, 404, 'NoSuchKey')
        return xml(response, 200, `<CopyPartResult>${tags({ ETag })}</CopyPartResult>`)
      }
      return tagged(response, await store.putPart(uploadId ?? '', part, request))
    }
    if (call === 'POST upload') {
      const numbers = await partsIn(request)
      const ETag = await store.complete(uploadId ?? '', { key, numbers })
      if (ETag === undefined) return refuse(response, 404, 'NoSuchUpload')
      const made = tags({ Bucket: bucket, Key: key, ETag })
      return xml(
        response,
        200,
        `<CompleteMultipartUploadResult>${made}</CompleteMultipartUploadResult>`,
      )
    }
    if (call === 'DELETE upload') {
      await store.remove(uploadId ?? '')
      response.writeHead(204).end()
      return
    }
    refuse(response, 501, 'NotImplemented')
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'InternalError')
    })
  })
  const port = await listen(server, 0)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    dir,
    async close() {
      await closeServer(server, 1000)
      await sweeping.close()
    },
  }
}

/** Returns the part numbers of a CompleteMultipartUpload request, in order. */
async function partsIn(request: IncomingMessage): Promise<number[]> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return [...text.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, part]) => Number(part))
}

function tagged(response: ServerResponse, tag: string | undefined): void {
  if (tag === undefined) refuse(response, 404, 'NoSuchUpload')
  else response.writeHead(200, { etag: tag }).end()
}

function refuse(response: ServerResponse, status: number, code: string): void {
  xml(response, status, `<Error>${tags({ Code: code, Message: code })}</Error>`)
}

/** Writes XML elements. The values contain no characters that XML escapes. */
function tags(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `<${name}>${value.replaceAll('"', '&quot;')}</${name}>`)
    .join('')
}

function xml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?>${text}`)
}
