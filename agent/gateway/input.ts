import { fstatSync } from 'node:fs'
import type { Environment } from './settings.ts'

/**
 * Comes true once standard input ends, where that means that the process which started the agent is gone (EXIT_ON_STDIN_EOF), and
 * never otherwise.
 */
export function inputEnded(environment: Environment): Promise<undefined> {
  return new Promise((resolve) => {
    if (environment['EXIT_ON_STDIN_EOF']?.trim() !== '1' || !isPipe(0)) return
    process.stdin.resume().once('close', () => resolve(undefined))
  })
}

/** Node hands children a socket where a shell hands them a pipe. */
function isPipe(descriptor: number): boolean {
  const info = fstatSync(descriptor)
  return info.isFIFO() || info.isSocket()
}
