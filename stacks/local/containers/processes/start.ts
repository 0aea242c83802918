import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** The process to run. */
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
 * A shell that becomes the command when it reads a line. A process is recorded before it runs: if the engine dies between
 * start and record, the shell reads the end of its input and exits. The command is passed as arguments and not through
 * variables, because shells interpret variables. Files that the command creates are private to the user.
 */
export const gate = 'umask 077 && read -r go && exec "$@"'

/**
 * Starts a process in its own group. It waits at the gate until `openGate`.
 * @throws Error if its folder or program does not exist, or the system cannot start a process
 */
export async function startPaused({ command, cwd, env }: ProcessSpec): Promise<StartedProcess> {
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
  // A process that has closed its input or exited must not fail the engine.
  child.stdin.on('error', () => {})
  return { child, pid: child.pid }
}

/** Lets a waiting process run. Its input stays open until the engine ends. */
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
