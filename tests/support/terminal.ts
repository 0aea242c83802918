import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryDir } from '../../stacks/local/testing/harness.ts'

const run = promisify(execFile)
const tmux = '/usr/bin/tmux'

/** Whether this machine can play a terminal: `apt-get install -y tmux`. */
export const hasTerminals = existsSync(tmux)

/** A command in a terminal of its own: what a person sees of it, and what they type. It ends with what the command ended with. */
export async function terminal(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
) {
  const folder = await temporaryDir()
  // Nothing else is found, so that no browser opens.
  const env = { PATH: folder.path, HOME: folder.path, XDG_CONFIG_HOME: folder.path, ...environment }
  // Tmux gives the command the PATH that it is asked with, whatever its session's is.
  const asking = { env: { ...process.env, PATH: env.PATH } }
  const ask = async (...args: string[]) =>
    (await run(tmux, ['-S', join(folder.path, 'tmux'), '-f', '/dev/null', ...args], asking)).stdout
  const given = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const words = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
  // Ctrl-C ends the command, and not the shell that says so.
  const script = `trap : INT; ${words}; printf '\\nended with %s\\n' "$?"; read -r _`
  await ask('new-session', '-d', '-x', '120', '-y', '40', ...given, '/bin/sh', '-c', script)
  return {
    screen: () => ask('capture-pane', '-p', '-J', '-S', '-'),
    type: (text: string) => ask('send-keys', '-l', text),
    press: (key: 'Enter' | 'Tab' | 'C-c') => ask('send-keys', key),
    async [Symbol.asyncDispose]() {
      await ask('kill-server')
      await folder[Symbol.asyncDispose]()
    },
  }
}
