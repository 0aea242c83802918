import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  beginStream,
  endStream,
  say,
  sayChunk,
  Upstream,
} from '../../agent/gateway/testing/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import { buildImage, type Image } from './build.ts'
import { Container, freePort, volumesOf } from './container.ts'
import { missingTools } from './tools.ts'

const missing = missingTools()
if (missing !== undefined) process.stdout.write(`images are not built: ${missing}\n`)

const minutes = 60_000
const token = 'a-token-of-sixteen-letters-and-more'

/** The agents' image: its Dockerfile, build arguments and exposed port. */
const spec = {
  name: 'agent',
  dockerfile: 'agent/image/Dockerfile',
  context: 'agent',
  ready: '/readyz',
  exposes: 18789,
  told: (port: number, upstream: string) => ({
    AGENT_ID: 'agt_1',
    GATEWAY_TOKEN: token,
    AI_BASE_URL: upstream,
    AI_API_KEY: 'ak_1',
    GATEWAY_PORT: String(port),
  }),
} as const

describe.skipIf(missing !== undefined)('the image of agents', () => {
  let upstream: Upstream
  let image: Image
  let container: Container
  let port: number
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, init)

  beforeAll(async () => {
    upstream = await Upstream.start()
    upstream.reply = (response, { body }) => {
      if (body.stream !== true) return say(response, 'Fine, thanks.')
      beginStream(response)
      sayChunk(response, 'Fine, thanks.')
      endStream(response)
    }
    image = await buildImage(spec)
    port = await freePort()
    container = await Container.start(image, {
      uid: 1000,
      environment: spec.told(port, upstream.baseUrl),
    })
  })
  afterAll(async () => {
    await container[Symbol.asyncDispose]()
    await image.close()
    await upstream[Symbol.asyncDispose]()
  })

  it('declares a user without privileges, and exposes only its port', () => {
    expect(image.config.User).toBe('node')
    expect(Object.keys(image.config.ExposedPorts)).toEqual([`${spec.exposes}/tcp`])
  })

  it('becomes ready', { timeout: 6 * minutes }, async () => {
    const ready = eventually(
      async () => expect((await ask(spec.ready)).status).toBe(200),
      5 * minutes,
    )
    const early = container.ended().then((code) => {
      throw new Error(`it ended with ${code}: ${container.output}`)
    })
    await Promise.race([ready, early])
  })

  it('answers only authenticated callers, by the model', { timeout: 3 * minutes }, async () => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'How are you?' }] })
    const headers = { 'content-type': 'application/json' }
    const chat = (given: Record<string, string>) =>
      ask('/v1/chat/completions', { method: 'POST', headers: { ...headers, ...given }, body })
    expect((await chat({})).status).toBe(401)
    const answer = await chat({ authorization: `Bearer ${token}` })
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { choices: [{ message: { content: 'Fine, thanks.' } }] },
    ])
  })

  it('listens on its own port, and otherwise only on loopback', async () => {
    expect(await container.openPorts()).toEqual([port])
  })

  it('can write only to its volumes, and gains no privileges', async () => {
    const volumes = volumesOf(image)
    const search = [
      '/',
      '-path',
      '/proc',
      '-prune',
      '-o',
      '(',
      '-type',
      'd',
      '-o',
      '-type',
      'f',
      ')',
    ]
    // `find` exits with 1 if it may not read a folder, which is expected.
    const script = 'find "$@" -writable -print 2>/dev/null; true'
    const found = (await container.exec('sh', '-c', script, 'sh', ...search)).split('\n')
    const inside = (path: string) =>
      volumes.some((volume) => path === volume || path.startsWith(`${volume}/`))
    expect(found.filter((path) => !inside(path))).toEqual([])
    for (const volume of volumes)
      expect(await container.exec('sh', '-c', `test -w ${volume} && id -un`)).toBe('node')
    const status = await container.exec('cat', '/proc/1/status')
    expect(status).toMatch(/^CapEff:\t0{16}$/m)
    expect(status).toMatch(/^CapBnd:\t0{16}$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
  })

  it('has no file that its user could change, and no secret in its metadata', () => {
    expect(container.output).not.toContain(token)
    expect(image.config.Env.join('\n')).not.toMatch(/TOKEN|KEY=|SECRET/)
  })

  it('exits on SIGTERM', { timeout: 2 * minutes }, async () => {
    await container.kill('TERM')
    expect(await container.ended()).toBe(0)
  })
})
