import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home, apiKey, pieces, token, until } from '../gateway/testing/gateway.ts'
import { Upstream, beginStream, endStream, sayChunk } from '../gateway/testing/upstream.ts'

/** The command of an installed OpenClaw, `node_modules/openclaw/openclaw.mjs`; too big to be a dependency. */
const program = process.env['OPENCLAW_PROGRAM'] ?? ''

test.skipIf(program === '')(
  'OpenClaw itself runs on the configuration and speaks through the platform',
  { timeout: 120_000 },
  async () => {
    await using home = await Home.make()
    await using upstream = await Upstream.start()
    upstream.reply = (response) => {
      beginStream(response)
      sayChunk(response, 'Hel')
      sayChunk(response, 'lo')
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
      PATH: process.env['PATH'] ?? '',
    }
    const write = spawn(process.execPath, [join(import.meta.dirname, 'entrypoint.ts')], { env })
    expect(await once(write, 'exit')).toEqual([0, null])

    const gateway = spawn(process.execPath, [program, 'gateway', 'run'], { env, stdio: 'ignore' })
    const exited = once(gateway, 'exit')
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
      expect(text).toContain('Hel')
      expect(text).toContain('[DONE]')
      expect(upstream.lastCall.headers.authorization).toBe(`Bearer ${apiKey}`)
      expect(JSON.stringify(upstream.lastCall.body.messages)).toContain('You are Ada of the test.')
    } finally {
      gateway.kill('SIGTERM')
      await exited
    }
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
