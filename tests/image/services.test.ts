import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import { buildServices } from '#stacks/build/build.ts'
import { newCaller, serviceEnvironment } from '../support/ai/ai-service.ts'
import { eventsOf, quotaOf } from '../support/ai/gateway.ts'
import { delta, says, startUpstream, type Upstream, usage } from '../support/ai/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import { startTestTable, type TestTable } from '../support/platform/table.ts'
import { buildImage, type Image } from './build.ts'
import { Container, freePort, volumesOf } from './container.ts'
import { missingTools, root } from './tools.ts'

const missing = missingTools()
if (missing !== undefined) process.stdout.write(`images are not built: ${missing}\n`)

const minutes = 60_000
const [model = ''] = modelSetsOf({}).plans.solo ?? []
const encryptionKey = Buffer.alloc(32, 7).toString('base64')

/** A numeric user id, as in stacks/service-task.ts, that no user of this machine has. */
const uid = 65_532

const services = functions.filter(({ service }) => service !== undefined).map(({ name }) => name)

/** Lists the paths that this process could write to. It runs in the image, which has no program except Node. */
const search = `
const { accessSync, constants, readdirSync } = require('node:fs')
const writable = (path) => { try { accessSync(path, constants.W_OK); return true } catch { return false } }
const within = (path) => { try { return readdirSync(path, { withFileTypes: true }) } catch { return [] } }
const found = []
const walk = (path) => {
  if (writable(path)) found.push(path)
  for (const entry of within(path))
    if (entry.isDirectory() && entry.name !== 'proc') walk(path + '/' + entry.name)
    else if (entry.isFile() && writable(path + '/' + entry.name)) found.push(path + '/' + entry.name)
}
walk('')
const status = require('node:fs').readFileSync('/proc/1/status', 'utf8')
console.log(JSON.stringify({ found, uid: process.getuid(), status }))`

describe.skipIf(missing !== undefined)('the image of services', () => {
  let database: TestTable
  let upstream: Upstream
  let image: Image

  beforeAll(async () => {
    await buildServices({ functions, root, outDir: join(root, 'dist') })
    database = await startTestTable()
    upstream = await startUpstream()
    image = await buildImage({
      name: 'services',
      dockerfile: 'stacks/service/Dockerfile',
      context: 'dist/services',
    })
  })
  afterAll(async () => {
    await image.close()
    await upstream.close()
    await database.close()
  })

  /** Runs a service as its task does, and waits until it is ready. */
  async function started(name: string) {
    const port = await freePort()
    const environment = {
      ...serviceEnvironment(name, database.table, {
        AI_BASE_URL: upstream.baseUrl,
        WALLET_ENCRYPTION_KEY: encryptionKey,
      }),
      PORT: String(port),
    }
    const command = ['--max-semi-space-size=32', `/opt/services/${name}/index.cjs`]
    const container = await Container.start(image, { uid, environment, command })
    const url = `http://127.0.0.1:${port}`
    const ready = eventually(
      async () => expect((await fetch(`${url}/healthz`)).status).toBe(200),
      2 * minutes,
    )
    const early = container.ended().then((code) => {
      throw new Error(`it ended with ${code}: ${container.output}`)
    })
    await Promise.race([ready, early])
    early.catch(() => undefined)
    return { container, url, port }
  }

  const ask = (url: string, key: string | undefined, body: object) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...body }),
    })

  it('declares a user without privileges, exposes only its port, and contains no secret', () => {
    expect(image.config.User).toBe(`${uid}:${uid}`)
    expect(Object.keys(image.config.ExposedPorts)).toEqual(['8080/tcp'])
    expect(volumesOf(image)).toEqual([])
    expect(image.config.Env.join('\n')).not.toMatch(/TOKEN|KEY=|SECRET/)
  })

  it.each(services)('%s becomes ready in it, only on its own port', async (name) => {
    const { container, port } = await started(name)
    await using _ended = container
    expect(await container.openPorts()).toEqual([port])
    expect(container.output).not.toContain(encryptionKey)
  })

  it('runs the AI gateway, which answers only authenticated callers', async () => {
    const { container, url } = await started('backend-ai')
    await using _ended = container
    const { key, userId } = await newCaller(database.table)
    upstream.serve(model, says('Fine, thanks.'))
    expect((await ask(url, undefined, {})).status).toBe(401)
    expect((await ask(url, 'sk_wrong', {})).status).toBe(401)
    const answer = await ask(url, key, {})
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { choices: [{ message: { content: 'Fine, thanks.' } }] },
    ])
    await eventually(async () => expect(await eventsOf(database.table, userId)).toHaveLength(1))
    expect(container.output).not.toContain(key)
  })

  it('has no writable file, no shell, and gains no privileges', async () => {
    const { container } = await started('backend-ai')
    await using _ended = container
    const observed = JSON.parse(await container.exec('/nodejs/bin/node', '-e', search)) as {
      found: string[]
      uid: number
      status: string
    }
    expect(observed).toMatchObject({ found: [], uid })
    expect(observed.status).toMatch(/^CapEff:\t0{16}$/m)
    expect(observed.status).toMatch(/^CapBnd:\t0{16}$/m)
    expect(observed.status).toMatch(/^NoNewPrivs:\t1$/m)
    await expect(container.exec('sh', '-c', 'true')).rejects.toThrow('executable file')
  })

  it('finishes a stream and counts it at a shutdown, and accepts no new one', async () => {
    const { container, url } = await started('backend-ai')
    await using _ended = container
    const { key, userId } = await newCaller(database.table)
    const event = (value: object | string) =>
      `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
    const begun = Promise.withResolvers<ServerResponse>()
    upstream.serve(model, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event(delta({ content: 'one ' })))
      begun.resolve(response)
    })
    const answer = await ask(url, key, { stream: true, max_tokens: 50 })
    const provider = await begun.promise
    await container.kill('TERM')
    await eventually(() => expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed'))
    const rest = [
      delta({ content: 'two' }),
      delta({}, 'stop'),
      { choices: [], usage: usage(9, 2) },
      '[DONE]',
    ]
    provider.end(rest.map(event).join(''))
    expect(await answer.text()).toMatch(/"content":"two"[\s\S]*data: \[DONE\]\n\n$/)
    expect(await container.ended()).toBe(0)
    expect(container.output).toContain('"drained"')
    expect(await quotaOf(database.table, userId)).toMatchObject({ used: 11, committed: 11 })
  })
})
