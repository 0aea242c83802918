import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { Home, apiKey, pieces, token, until } from '../gateway/testing/gateway.ts'
import { Upstream, beginStream, endStream, sayChunk } from '../gateway/testing/upstream.ts'

/** The folder of an installed OpenClaw's command, `node_modules/.bin`; too big to be a dependency. */
const commands = process.env['OPENCLAW_COMMANDS'] ?? ''

test.skipIf(commands === '')(
  'OpenClaw itself runs on the configuration and speaks through the platform',
  { timeout: 120_000 },
  async () => {
    await using home = await Home.make()
    await using upstream = await Upstream.start()
    upstream.reply = (response) => {
      beginStream(response)
      sayChunk(response, 'I am Ada,')
      sayChunk(response, ' how nice.')
      endStream(response)
    }
    const port = await freePort()
    const env = {
      ...home.environment(upstream.baseUrl, { SYSTEM_PROMPT: 'You are Ada of the test.' }),
      GATEWAY_PORT: String(port),
      WORKSPACE_DIR: join(home.workspace, 'workspace'),
      OPENCLAW_STATE_DIR: join(home.workspace, 'state'),
      OPENCLAW_CONFIG_READONLY: '1',
      OPENCLAW_DISABLE_BONJOUR: '1',
      OPENCLAW_NO_AUTO_UPDATE: '1',
      HOME: home.workspace,
      PATH: [dirname(process.execPath), commands, process.env['PATH']].join(delimiter),
    }
    const start = join(import.meta.dirname, '../image/start.sh')
    const gateway = spawn(start, { env, stdio: 'pipe' })
    const exited = once(gateway, 'exit')
    let log = ''
    for (const stream of [gateway.stdout, gateway.stderr]) {
      stream.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')))
    }
    try {
      const url = `http://127.0.0.1:${port}`
      const get = (path: string): Promise<Response | undefined> =>
        fetch(url + path).catch(() => undefined)
      await until(async () => (await get('/readyz'))?.status === 200, 60_000)
      expect(await (await get('/healthz'))?.json()).toEqual({ ok: true, status: 'live' })

      const chat = (authorization: string): Promise<Response> =>
        fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'openclaw',
            user: 'ann',
            stream: true,
            messages: [{ role: 'user', content: 'hi' }],
          }),
        })
      expect((await chat('Bearer wrong')).status).toBe(401)
      let text = ''
      for await (const piece of pieces(await chat(`Bearer ${token}`))) text += piece
      expect(text).toContain('I am Ada')
      expect(text).toContain('[DONE]')
      expect(upstream.calls).toHaveLength(1)
      expect(upstream.lastCall.headers.authorization).toBe(`Bearer ${apiKey}`)
      expect(JSON.stringify(upstream.lastCall.body.messages)).toContain('You are Ada of the test.')
    } finally {
      gateway.kill('SIGTERM')
      await exited
    }
    for (const secret of ['how nice', token, apiKey]) expect(log).not.toContain(secret)
  },
)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
