/** Runs the target host in its own process. Prints its port and its certificate's file in one line. */
import { startTlsServer } from '#tests/support/http/tls-server.ts'

const text = Buffer.from(JSON.stringify({ items: Array.from({ length: 20 }, (_, id) => ({ id })) }))
const chunk = Buffer.alloc(256 * 1024, 'x')

const server = await startTlsServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://host')
  if (request.headers.authorization?.startsWith('Bearer ') !== true) {
    response.writeHead(401).end()
    return
  }
  if (pathname === '/small') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    return
  }
  if (pathname === '/taken') {
    let taken = 0
    request.on('data', (part: Buffer) => (taken += part.length))
    request.on('end', () => response.end(String(taken)))
    return
  }
  let left = Number(searchParams.get('bytes'))
  const write = () => {
    while (left > 0) {
      const part = left < chunk.length ? chunk.subarray(0, left) : chunk
      left -= part.length
      if (!response.write(part)) {
        response.once('drain', write)
        return
      }
    }
    response.end()
  }
  write()
})
process.stdout.write(`${JSON.stringify({ port: server.port, certFile: server.certFile })}\n`)
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
