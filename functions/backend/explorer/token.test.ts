import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'
import { beginRepository } from '#tests/support/tools/git-repositories.ts'
import { startGitServer } from '#tests/support/tools/git-server.ts'
import { type GitCommand, gitIn } from '#tests/support/tools/git.ts'

const login = {
  username: 'x-access-token',
  password: 'hush-hush-token',
  hosts: ['github.com', '127.0.0.1:1'],
}
let explorer: Explorer
let git: GitCommand
let server: Awaited<ReturnType<typeof startGitServer>>

beforeEach(async () => {
  explorer = await startExplorer({ login })
  git = gitIn(explorer.root)
  await mkdir(join(explorer.dir, 'remotes'))
  server = await startGitServer(join(explorer.dir, 'remotes'), login)
  await beginRepository(explorer, git)
  await git('remote', 'add', 'origin', 'https://github.com/one/one.git')
})
afterEach(() => Promise.all([explorer.close(), server.close()]))

async function sync() {
  const [status, answer] = await explorer.call<{ message: string }>(
    'POST',
    '/api/browse/git-sync',
    { body: {} },
  )
  expect([status, answer]).toEqual([200, expect.objectContaining({ committed: true })])
  return answer
}

it.each([
  ['https://evil.example/x', 'https://evil.example'],
  ['https://github.com.evil.example/x', 'https://github.com.evil.example'],
  ['https://github.com@evil.example/x', 'https://evil.example'],
  ['https://github.com:8443/x', 'https://github.com:8443'],
  ['http://github.com/x', 'http://github.com'],
  ['HTTPS://EVIL.example/x', 'https://evil.example'],
  ['https://127.0.0.1:2/x', 'https://127.0.0.1:2'],
])('sends no token to %s, a host that only the workspace names', async (url, host) => {
  await git('remote', 'set-url', '--push', 'origin', url)
  await git('config', 'credential.helper', 'store')
  await explorer.put('a.txt', 'changed\n')
  const synced = await sync()
  expect(synced).toMatchObject({
    committed: true,
    pushed: false,
    hash: (await git('rev-parse', 'main')).trim(),
  })
  expect(synced.message).toContain(
    `not pushed: GIT_TOKEN must not be sent to ${host}; GIT_TOKEN_HOSTS lists the hosts`,
  )
  expect(server.seen).toEqual([])
})

it('ignores a URL rewrite of the repository for a trusted host', async () => {
  await git('config', `url.${server.url}/.insteadOf`, 'https://127.0.0.1:1/')
  await git('config', `url.${server.url}/.pushInsteadOf`, 'https://127.0.0.1:1/')
  await git('remote', 'set-url', 'origin', 'https://127.0.0.1:1/one.git')
  await explorer.put('a.txt', 'changed\n')
  expect((await sync()).message).toMatch(/not pushed: the connection failed: ECONNREFUSED$/)
  expect(server.seen).toEqual([])
})

it('returns no login that the remote repeats, in any form in which it was sent', async () => {
  const { username, password } = login
  const forms = [
    password,
    encodeURIComponent(password),
    Buffer.from(`${username}:${password}`).toString('base64'),
    Buffer.from(password).toString('base64'),
  ]
  for (const form of forms) {
    const refusal = `ng refs/heads/main ${form}`
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
    const echo = createServer((request, response) => {
      if (request.headers.authorization === undefined) return void response.writeHead(401).end()
      const type = request.method === 'GET' ? 'advertisement' : 'result'
      response.setHeader('content-type', `application/x-git-receive-pack-${type}`)
      const refs = `${'0'.repeat(40)} capabilities^{}\0report-status side-band-64k`
      const report = `${line('unpack ok\n')}${line(`${refusal}\n`)}0000`
      response.end(
        request.method === 'GET'
          ? `${line('# service=git-receive-pack\n')}0000${line(`${refs}\n`)}0000`
          : `${line(`\u0001${report}`)}0000`,
      )
    }).listen(0, '127.0.0.1')
    await once(echo, 'listening')
    const { port } = echo.address() as AddressInfo
    await git('remote', 'set-url', 'origin', `http://127.0.0.1:${port}/one.git`)
    await explorer.put('a.txt', `${port}`)
    const { message } = await sync()
    echo.closeAllConnections()
    echo.close()
    expect(message).toMatch(/not pushed: the remote refused the push: .*…/)
    expect(message).not.toContain(form)
  }
})
