import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import workerd from 'workerd'
import { workerModule } from '../../stacks/build/entry.ts'
import { functions } from '../../shared/manifest/index.ts'

const spec = functions.find(({ name }) => name === 'summarizer-info')
if (spec?.trigger.kind !== 'http') throw new Error('the manifest has no summarizer')
const worker = workerModule({ ...spec, trigger: spec.trigger })

let folder: string
let process: ChildProcess
let base: string

/** workerd's own configuration language; no compatibility flag lends it anything of Node's. */
const configuration = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edge-'))
  await build({
    stdin: { contents: worker, loader: 'ts', resolveDir: '.' },
    outfile: join(folder, 'worker.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
  })
  await writeFile(join(folder, 'config.capnp'), configuration)
  process = spawn(workerd, ['serve', '--control-fd=3', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  // It says which port it has got once it listens.
  const [said] = (await once(createInterface(process.stdio[3] as Readable), 'line')) as [string]
  base = `http://127.0.0.1:${(JSON.parse(said) as { port: number }).port}`
})

afterAll(async () => {
  process.kill('SIGKILL')
  await once(process, 'exit')
  await rm(folder, { recursive: true })
})

describe('the summarizer’s description on workerd', () => {
  it('describes the service', async () => {
    const answer = await fetch(`${base}/`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
    expect(await answer.json()).toMatchObject({
      service: 'web-summarizer',
      endpoints: expect.any(Object),
      payment: { currency: 'USDC', payTo: null },
    })
  })

  it('answers health, readiness, wrong methods and unknown paths as on Lambda', async () => {
    const health = await fetch(`${base}/health`)
    expect(await health.json()).toEqual({
      status: 'ok',
      service: 'web-summarizer',
      version: expect.any(String),
    })
    const ready = await fetch(`${base}/health/ready`)
    expect(await ready.json()).toEqual({ status: 'ready', checks: {} })
    const wrong = await fetch(`${base}/health`, { method: 'POST' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET'])
    const unknown = await fetch(`${base}/nothing`)
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Not found' }])
  })
})
