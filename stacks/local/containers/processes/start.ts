import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** What to run. */
export interface ProcessSpec {
  command: string[]
  cwd: string
  /** The whole environment. */
  env: Record<string, string>
}

export interface StartedProcess {
  child: ChildProcessByStdio<Writable, Readable, Readable>
  pid: number
}

/**
 * A shell that becomes the command once told to. A process is recorded before it runs: when the
 * engine dies between starting and recording one, the shell reads the end of its input and ends.
 * Shells act on variables, so nothing that a user names may be one of the process's. What the command makes is its
 * user's alone.
 */
export const gate = 'umask 077 && read -r go && exec "$@"'

/**
 * Starts a process in a group of its own, held at the gate until `openGate`.
 * @throws when its folder or program is not there, or the system refuses a process
 */
export async function startHeld({ command, cwd, env }: ProcessSpec): Promise<StartedProcess> {
  const program = findProgram(command[0] ?? '', cwd, env['PATH'] ?? '')
  const child = spawn('/bin/sh', ['-c', gate, 'sh', program, ...command.slice(1)], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error]
    throw error
  }
  // A process that closes its input, or has ended, is no failure of the engine.
  child.stdin.on('error', () => {})
  return { child, pid: child.pid }
}

/** Lets a held process run. Its input stays open, and ends when the engine does. */
export function openGate({ child }: StartedProcess): void {
  child.stdin.write('go\n')
}

function findProgram(name: string, cwd: string, path: string): string {
  const places = name.includes('/')
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((folder) => resolve(cwd, folder, name))
  const program = places.find(isExecutable)
  if (program === undefined) throw new Error(`${name}: no such program`)
  return program
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
