import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { documented } from './documented.ts'
import { startProgram } from './start-program.ts'

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

interface Run {
  /** The folder that it works in. */
  cwd: string
  /** Its home, which contains its sessions. */
  home: string
  /** The address and the key, as the page names them. */
  env: { MODELS_URL: string; PLATFORM_API_KEY: string }
  args: readonly string[]
}

/** Starts Claude Code with the commands of docs/use/models.md. */
export function startClaudeCode({ cwd, home, env, args }: Run) {
  const command = `${documented('sh claude-code')}exec "$0" "$@"`
  const { outcome, ...program } = startProgram('sh', ['-c', command, claudeCode, ...args], {
    cwd,
    env: {
      HOME: home,
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...env,
    },
  })
  return {
    ...program,
    /** @throws Error with what it printed if that is not its result */
    async result(): Promise<ClaudeResult> {
      const { code, out, errors } = await outcome()
      try {
        return JSON.parse(out) as ClaudeResult
      } catch {
        throw new Error(`Claude Code ended with ${code}: ${out}${errors}`)
      }
    },
  }
}
