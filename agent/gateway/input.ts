import { fstatSync } from 'node:fs'
import type { Environment } from './settings.ts'

/**
 * Resolves when standard input closes, if EXIT_ON_STDIN_EOF says that this means the parent process has ended. Never
 * resolves otherwise.
 */
export function inputEnded(environment: Environment): Promise<undefined> {
  return new Promise((resolve) => {
    if (environment['EXIT_ON_STDIN_EOF']?.trim() !== '1' || !isPipe(0)) return
    process.stdin.resume().once('close', () => resolve(undefined))
  })
}

/** Node gives its children a socket as standard input, and a shell gives them a pipe. */
function isPipe(descriptor: number): boolean {
  const info = fstatSync(descriptor)
  return info.isFIFO() || info.isSocket()
}
