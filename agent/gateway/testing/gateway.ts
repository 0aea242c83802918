import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export const token = 'gateway-token-0123456789'
export const apiKey = 'ak_0123456789abcdef'

/** GATEWAY_PROGRAM is the same program in one file, which starts faster. */
const program = process.env['GATEWAY_PROGRAM'] ?? join(import.meta.dirname, '..', 'main.ts')

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A gateway in its own process, as the container engine runs it. */
export class GatewayProcess implements AsyncDisposable {
  readonly child: ChildProcess
  readonly exited: Promise<Exit>
  output = ''
  url = ''
  /** The token that `fetch` sends. */
  bearer = token

  private constructor(environment: Record<string, string>) {
    this.child = spawn(process.execPath, [program], {
      // With a compile cache, Node starts in half the time.
      env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...environment },
      stdio: 'pipe',
    })
    this.child.stdin?.on('error', () => {})
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')))
    }
    this.exited = once(this.child, 'close').then(([code, signal]) => ({ code, signal }) as Exit)
  }

  /** Starts the program without waiting. */
  static run(environment: Record<string, string>): GatewayProcess {
    return new GatewayProcess(environment)
  }

  /** Starts the program and waits until it listens. */
  static async start(environment: Record<string, string>): Promise<GatewayProcess> {
    const gateway = new GatewayProcess(environment)
    gateway.url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(gateway.output)?.[0])
    return gateway
  }

  /** Sends a request with the token. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.bearer}`, 'content-type': 'application/json' }
    return fetch(this.url + path, { ...init, headers: { ...headers, ...init.headers } })
  }

  async json(path: string, init?: RequestInit): Promise<unknown> {
    return (await this.fetch(path, init)).json()
  }

  chat(body: Record<string, unknown>, init: RequestInit = {}): Promise<Response> {
    return this.fetch('/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify(body),
      ...init,
    })
  }

  /** Sends one message in a session and reads the whole reply. */
  async say(user: string, content: string): Promise<string> {
    return (await this.chat({ user, messages: [{ role: 'user', content }] })).text()
  }

  async kill(signal: NodeJS.Signals): Promise<Exit> {
    this.child.kill(signal)
    return this.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL')
  }
}

/** A workspace folder, and the environment of an agent that uses it. */
export class Home implements AsyncDisposable {
  readonly workspace: string

  private constructor(workspace: string) {
    this.workspace = workspace
  }

  static async make(): Promise<Home> {
    return new Home(await mkdtemp(join(tmpdir(), 'agent-gateway-')))
  }

  environment(aiBaseUrl: string, more: Record<string, string> = {}): Record<string, string> {
    return {
      AGENT_ID: 'agt_test',
      AGENT_GENERATION: '3',
      AGENT_NAME: 'Ada',
      GATEWAY_TOKEN: token,
      GATEWAY_PORT: '0',
      AI_BASE_URL: aiBaseUrl,
      AI_API_KEY: apiKey,
      WORKSPACE_DIR: this.workspace,
      ...more,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.workspace, { recursive: true, force: true })
  }
}

/** Waits until a probe returns a value; fails after `ms`. */
export async function until<T>(
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  ms = 20_000,
): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`nothing came within ${ms} ms`)
    await delay(5)
  }
}

/** Reads a response's body in chunks. */
export async function* pieces(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) yield decoder.decode(chunk, { stream: true })
}
