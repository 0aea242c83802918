import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Starts a git server over HTTP, which runs git's own backend behind basic authentication. */
export async function startGitServer(root: string, login: { username: string; password: string }) {
  const expected = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
  const seen: { authorization: string | undefined; url: string }[] = []
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    seen.push({ authorization, url: request.url ?? '' })
    if (authorization === expected) return void answer(root, request, response)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(root: string, request: IncomingMessage, response: ServerResponse) {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      REMOTE_USER: 'ada',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  request.pipe(child.stdin)
  const printed = await buffer(child.stdout)
  const end = printed.indexOf('\r\n\r\n')
  let status = 200
  for (const line of printed.toString('latin1', 0, end).split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/s)
    if (name === 'Status') status = Number.parseInt(value, 10)
    else response.setHeader(name, value)
  }
  response.writeHead(status).end(printed.subarray(end + 4))
}
