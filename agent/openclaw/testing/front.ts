import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createLog } from '../../gateway/log.ts'
import { OutputBudget } from '../../gateway/output/budget.ts'
import { token } from '../../gateway/testing/gateway.ts'
import { createFront, type Front } from '../front/server.ts'
import { readFrontSettings } from '../front/settings.ts'

export const bearer = { authorization: `Bearer ${token}` }
const json = { ...bearer, 'content-type': 'application/json' }

/**
 * Starts the front process with a fake OpenClaw server that each test controls.
 * @param more variables in addition to the required ones
 */
export function useFront(more: Record<string, string> = {}) {
  let dir: string
  let runtime: Server
  let front: Front
  const on = {
    url: '',
    /** OpenClaw's response. */
    answers: ((_, response) => void response.end('fine')) as RequestListener,
    /** The requests to OpenClaw. */
    asked: [] as { path: string | undefined; headers: IncomingHttpHeaders }[],
    /** The log lines of the front process. */
    lines: [] as string[],
    get dir() {
      return dir
    },
    get runtime() {
      return runtime
    },
    get front() {
      return front
    },
    ask: (path: string, init: RequestInit = {}) => fetch(on.url + path, { headers: json, ...init }),
    async stopRuntime(): Promise<void> {
      runtime.closeAllConnections()
      runtime.close()
      await once(runtime, 'close')
    },
  }
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'agent-front-'))
    on.asked = []
    on.lines = []
    on.answers = (_, response) => void response.end('fine')
    runtime = createServer((incoming, response) => {
      on.asked.push({ path: incoming.url, headers: incoming.headers })
      on.answers(incoming, response)
    }).listen(0, '127.0.0.1')
    await once(runtime, 'listening')
    const settings = readFrontSettings({
      AGENT_ID: 'agt_1',
      GATEWAY_TOKEN: token,
      AI_BASE_URL: 'https://backend.example/v1',
      AI_API_KEY: 'ak_1',
      AGENT_DATA_DIR: dir,
      ...more,
    })
    const { port } = runtime.address() as AddressInfo
    const log = createLog(settings, (line) => void on.lines.push(line))
    const budget = new OutputBudget()
    front = createFront({
      settings,
      child: { pid: process.pid, port },
      log,
      budget,
      files: undefined,
    })
    front.server.listen(0, '127.0.0.1')
    await once(front.server, 'listening')
    on.url = `http://127.0.0.1:${(front.server.address() as AddressInfo).port}`
  })
  afterEach(async () => {
    for (const server of [front.server, runtime]) {
      server.closeAllConnections()
      server.close()
    }
    await rm(dir, { recursive: true, force: true })
  })
  return on
}
