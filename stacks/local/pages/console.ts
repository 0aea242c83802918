import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import {
  consoleAssets,
  consoleCaching,
  consoleHeaders,
  consolePaths,
} from '#shared/manifest/console.ts'
import { answerJson } from '../surfaces/answer.ts'
import type { Pages } from '../surfaces/surface.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Returns whether a path matches a pattern of the manifest, by CloudFront's rules. */
function matches(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}

/**
 * Serves the console on its paths of the web surface, from the build's files, with the headers and compression of the edge.
 * @param dir dist/console
 * @param built requests wait for it. Default: the files are there
 */
export function consolePages(dir: string, built?: Promise<unknown>): Pages {
  const compressed = new Map<string, Promise<Buffer>>()

  async function send(request: IncomingMessage, response: ServerResponse, file: string) {
    await built
    const content = await readFile(join(dir, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (content === undefined) return answerJson(response, 404, { error: 'Not found' })
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    const headers = {
      ...consoleHeaders,
      'x-request-id': `req_${randomUUID()}`,
      'cache-control': file === 'index.html' ? consoleCaching.page : consoleCaching.asset,
      vary: 'accept-encoding',
      etag,
    }
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, headers).end()
      return
    }
    const encoding = encodingFor(request.headers['accept-encoding'] ?? '')
    const key = `${etag} ${encoding}`
    const body = await (compressed.get(key) ?? remember(compressed, key, pack(content, encoding)))
    response.writeHead(200, {
      ...headers,
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-length': body.length,
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }

  return {
    takes: (path) =>
      matches(consoleAssets, path) || consolePaths.some((pattern) => matches(pattern, path)),

    async serve(request, response, target) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD')
        return answerJson(response, 405, { error: 'Method not allowed' })
      }
      if (!matches(consoleAssets, target.pathname)) return send(request, response, 'index.html')
      const [, name] = /^\/assets\/([\w-]+\.\w+)$/.exec(target.pathname) ?? []
      if (name === undefined) return answerJson(response, 404, { error: 'Not found' })
      return send(request, response, `assets/${name}`)
    },
  }
}

type Encoding = 'br' | 'gzip' | 'identity'

/** Returns the best accepted encoding. `q=0` excludes one. */
function encodingFor(accepted: string): Encoding {
  const parts = accepted
    .split(',')
    .map((part) => part.trim())
    .filter((part) => !/;\s*q=0(?:\.0*)?$/.test(part))
  const names = new Set(parts.map((part) => part.split(';')[0]))
  if (names.has('br')) return 'br'
  return names.has('gzip') ? 'gzip' : 'identity'
}

function pack(content: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(content)
  if (encoding === 'identity') return Promise.resolve(content)
  // The quality that the edge uses; the best quality takes a hundred times as long.
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
}

function remember<T>(map: Map<string, Promise<T>>, key: string, value: Promise<T>): Promise<T> {
  map.set(key, value)
  return value
}
