import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const packages = join(import.meta.dirname, 'node_modules/@openai')

const codex = join(packages, 'codex/bin/codex.js')

/** The package of this machine has the program that `codex.js` starts. */
export const hasCodex =
  existsSync(codex) && existsSync(join(packages, `codex-${process.platform}-${process.arch}`))

/** An event of `codex exec --json`. */
interface CodexEvent {
  type: string
  thread_id?: string
  item?: { type: string; text?: string }
  error?: { message: string }
}

interface Run {
  /** The folder that it works in. */
  cwd: string
  /** Its home, which contains its configuration and its sessions. */
  home: string
  /** The address of the gateway, without `/v1`. */
  url: string
  key: string
  model: string
  args: readonly string[]
}

/** The configuration for a gateway: https://developers.openai.com/codex/config-reference. */
function configuration(url: string, model: string): string {
  return `
model = "${model}"
model_provider = "gateway"
web_search = "disabled"

[model_providers.gateway]
name = "Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
`
}

/** Starts Codex without a terminal. It inherits no variable of this process, such as a key. */
export async function startCodex({ cwd, home, url, key, model, args }: Run) {
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'config.toml'), configuration(url, model))
  const free = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
  const program = spawn(process.execPath, [codex, 'exec', '--json', ...free, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, GATEWAY_KEY: key },
  })
  const printed = Promise.all([text(program.stdout), text(program.stderr)])
  const ended = new Promise<number | null>((resolve) => program.once('close', resolve))
  return {
    ended,
    stop: () => program.kill('SIGINT'),
    /** Returns the last text of the model, and the id of the conversation. @throws Error with what Codex printed */
    async result() {
      const [out, errors] = await printed
      const code = await ended
      const lines = out.split('\n').filter((line) => line.startsWith('{'))
      const events = lines.map((line) => JSON.parse(line) as CodexEvent)
      const last = events.findLast(({ item }) => item?.type === 'agent_message')
      if (code !== 0) throw new Error(`Codex ended with ${code}: ${out}${errors}`)
      const thread = events.find(({ type }) => type === 'thread.started')?.thread_id
      return { text: last?.item?.text, thread }
    },
  }
}
