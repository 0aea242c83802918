import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Git ignores the configuration of the machine and of its user. */
const environment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  // A date years ago, so that its relative form does not change while a test runs.
  GIT_AUTHOR_DATE: '1600000000 +0200',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
}

/**
 * Returns a function that runs git in a folder: `git(dir)('commit', '-qm', 'x')`.
 * @returns its output
 */
export function gitIn(dir: string, more: Record<string, string> = {}) {
  return async (...given: string[]): Promise<string> => {
    const { stdout } = await run('git', ['-c', 'protocol.file.allow=always', ...given], {
      cwd: dir,
      env: { ...environment, ...more },
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  }
}

export type GitCommand = ReturnType<typeof gitIn>
