import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The program of this machine. Its package contains no other file that runs. */
export const claudeCode = join(
  import.meta.dirname,
  `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
)

export const hasClaudeCode = existsSync(claudeCode)

/** The output of Claude Code with `--output-format json`. */
export interface ClaudeResult {
  is_error: boolean
  result: string
  session_id: string
  num_turns: number
  stop_reason: string | null
}

const page = readFileSync(join(import.meta.dirname, '../../docs/use/models.md'), 'utf8')

/** The commands of the page before the start of the program. */
const [, documented] = /^```sh claude-code\n([^]*?)^```$/m.exec(page) ?? []

interface Run {
  /** The folder that it works in. */
  cwd: string
  /** Its home, which contains its sessions. */
  home: string
  /** The address and the key, as the page names them. */
  env: { MODELS_URL: string; PLATFORM_API_KEY: string }
  args: readonly string[]
}

/**
 * Starts Claude Code as docs/use/models.md does, without a terminal. It inherits no variable of this process, such as a
 * key.
 */
export function startClaudeCode({ cwd, home, env, args }: Run) {
  const command = `${documented}exec "$0" "$@"`
  const program = spawn('sh', ['-c', command, claudeCode, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...env,
    },
  })
  const printed = Promise.all([text(program.stdout), text(program.stderr)])
  const ended = new Promise<number | null>((resolve) => program.once('close', resolve))
  return {
    ended,
    stop: () => program.kill('SIGINT'),
    /** @throws Error with what it printed if that is not its result */
    async result(): Promise<ClaudeResult> {
      const [out, errors] = await printed
      const code = await ended
      try {
        return JSON.parse(out) as ClaudeResult
      } catch {
        throw new Error(`Claude Code ended with ${code}: ${out}${errors}`)
      }
    },
  }
}
