import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { temporaryDir } from '#stacks/local/testing/harness.ts'
import { eventually } from '../clock/eventually.ts'

const run = promisify(execFile)
const tmux = '/usr/bin/tmux'

/** True if this machine has tmux: `apt-get install -y tmux`. */
export const hasTerminals = existsSync(tmux)

/**
 * Runs a command in a terminal. A test reads its screen and types into it. The screen shows the exit code at the end.
 */
export async function terminal(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
) {
  const folder = await temporaryDir()
  // PATH has only this folder, so that the command cannot open a browser.
  const env = { PATH: folder.path, HOME: folder.path, XDG_CONFIG_HOME: folder.path, ...environment }
  // Tmux runs the command with its own PATH, not with the PATH of its session.
  const asking = { env: { ...process.env, PATH: env.PATH } }
  const ask = async (...args: string[]) =>
    (await run(tmux, ['-S', join(folder.path, 'tmux'), '-f', '/dev/null', ...args], asking)).stdout
  const given = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const words = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
  // Ctrl-C ends the command, but not the shell that prints the exit code.
  const script = `trap : INT; ${words}; printf '\\nended with %s\\n' "$?"; read -r _`
  await ask('new-session', '-d', '-x', '120', '-y', '40', ...given, '/bin/sh', '-c', script)
  const session = (await ask('display-message', '-p', '#{pane_pid}')).trim()
  return {
    screen: () => ask('capture-pane', '-p', '-J', '-S', '-'),
    type: (text: string) => ask('send-keys', '-l', text),
    press: (key: 'Enter' | 'Tab' | 'C-c') => ask('send-keys', key),
    async [Symbol.asyncDispose]() {
      await ask('kill-server')
      // A shell writes its history into the folder after the server has ended.
      await eventually(() =>
        expect(run('/usr/bin/pgrep', ['-s', session])).rejects.toMatchObject({ code: 1 }),
      )
      await folder[Symbol.asyncDispose]()
    },
  }
}
