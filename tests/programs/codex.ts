import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { documented } from './documented.ts'
import { startProgram } from './start-program.ts'

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

/** Starts Codex with the configuration of docs/use/models.md, and another model. */
export async function startCodex({ cwd, home, url, key, model, args }: Run) {
  const config = documented('toml').replace('http://localhost:3001', url)
  await writeFile(join(home, 'config.toml'), config)
  const free = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
  const { outcome, ...program } = startProgram(
    process.execPath,
    [codex, 'exec', '--json', '--model', model, ...free, ...args],
    { cwd, env: { HOME: home, CODEX_HOME: home, PLATFORM_API_KEY: key } },
  )
  return {
    ...program,
    /** Returns the last text of the model, and the id of the conversation. @throws Error with what Codex printed */
    async result() {
      const { code, out, errors } = await outcome()
      const lines = out.split('\n').filter((line) => line.startsWith('{'))
      const events = lines.map((line) => JSON.parse(line) as CodexEvent)
      const last = events.findLast(({ item }) => item?.type === 'agent_message')
      if (code !== 0) throw new Error(`Codex ended with ${code}: ${out}${errors}`)
      const thread = events.find(({ type }) => type === 'thread.started')?.thread_id
      return { text: last?.item?.text, thread }
    },
  }
}
